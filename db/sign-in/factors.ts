import { randomUUID } from 'node:crypto'
import { endUserSessions } from '../accounts/sessions.ts'
import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { type FactorOwner, lockUser } from './factor-owner.ts'
import { replaceRecoveryCodes } from './recovery-codes.ts'

export const FACTOR_KINDS = ['passkey', 'totp'] as const

/** A second factor as its user sees it; timestamps are UTC with six fractional digits. */
export interface Factor {
  readonly id: string
  readonly kind: (typeof FACTOR_KINDS)[number]
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** Limit of factors of a user: far more than anybody has devices. */
const MAX_FACTORS = 10

const FACTOR = raw('id, kind, name')

/** Lists a user's factors, oldest first. */
export async function listFactors(db: Db, { subscriptionId, userId }: FactorOwner): Promise<Factor[]> {
  return queryRows(
    db,
    sql`select ${FACTOR}, ${utcText('created_at')} as "createdAt", ${utcText('last_used_at')} as "lastUsedAt"
        from factors where subscription_id = ${subscriptionId} and user_id = ${userId} order by created_at, id`,
  )
}

/** What a user can prove their identity with, besides the factors themselves. */
export interface FactorSummary {
  readonly hasPasskey: boolean
  readonly hasTotp: boolean
  /** Unused recovery codes. */
  readonly recoveryCodes: number
}

export async function summariseFactors(
  db: Db,
  { subscriptionId, userId }: FactorOwner,
): Promise<FactorSummary> {
  const [summary] = await queryRows<FactorSummary>(
    db,
    sql`select coalesce(bool_or(kind = 'passkey'), false) as "hasPasskey",
               coalesce(bool_or(kind = 'totp'), false) as "hasTotp",
               (select count(*)::int from recovery_codes r
                where r.subscription_id = ${subscriptionId} and r.user_id = ${userId} and r.used_at is null)
                 as "recoveryCodes"
        from factors where subscription_id = ${subscriptionId} and user_id = ${userId}`,
  )
  if (!summary) throw new Error('an aggregate returned no row')
  return summary
}

/** A factor that its user has just proved to hold. */
export type NewFactor = { readonly name: string } & (
  | {
      readonly kind: 'passkey'
      readonly credentialId: Buffer
      readonly publicKey: Buffer
      readonly userHandle: Buffer
      readonly counter: number
      readonly transports: readonly string[]
    }
  | { readonly kind: 'totp'; readonly secret: Buffer; readonly lastStep: number }
)

/**
 * Adds a factor, and records it in the audit log. The first one ends the user's other sessions, which began without it, and comes
 * with recovery codes.
 *
 * @returns undefined, and nothing changed, if the user has `MAX_FACTORS` or the passkey is registered already.
 */
export async function addFactor(
  db: Db,
  {
    owner,
    sessionId,
    actor,
    factor,
  }: { owner: FactorOwner; sessionId: string; actor: Actor; factor: NewFactor },
): Promise<{ readonly id: string; readonly recoveryCodes: readonly string[] | null } | undefined> {
  return db.transaction(async (trx) => {
    const { subscriptionId, userId } = owner
    const user = await lockUser(trx, owner)
    const before = await listFactors(trx, owner)
    if (!user || before.length >= MAX_FACTORS) return undefined
    const id = randomUUID()
    const passkey = factor.kind === 'passkey' ? factor : undefined
    const totp = factor.kind === 'totp' ? factor : undefined
    const [added] = await queryRows(
      trx,
      sql`insert into factors (subscription_id, id, user_id, kind, name, last_used_at,
                               credential_id, public_key, user_handle, counter, transports, secret, last_step)
          values (${subscriptionId}, ${id}, ${userId}, ${factor.kind}, ${factor.name}, now(),
                  ${passkey?.credentialId ?? null}, ${passkey?.publicKey ?? null}, ${passkey?.userHandle ?? null},
                  ${passkey?.counter ?? null}, ${passkey ? [...passkey.transports] : null}::text[],
                  ${totp?.secret ?? null}, ${totp?.lastStep ?? null})
          on conflict (credential_id) do nothing returning id`,
    )
    if (!added) return undefined
    const isFirst = before.length === 0
    const recoveryCodes = isFirst ? await replaceRecoveryCodes(trx, owner) : null
    if (isFirst) await endUserSessions(trx, owner, sessionId)
    const detail = { kind: factor.kind, name: factor.name }
    await recordAudit(trx, { subscriptionId, actor, action: 'factor.add', subject: user.email, detail })
    return { id, recoveryCodes }
  })
}

/** Renames a factor. @returns whether the user has it. */
export async function renameFactor(
  db: Db,
  {
    subscriptionId,
    userId,
    id,
    name,
    actor,
  }: FactorOwner & { readonly id: string; readonly name: string; readonly actor: Actor },
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const [renamed] = await queryRows<{ kind: string }>(
      trx,
      sql`update factors set name = ${name}
          where subscription_id = ${subscriptionId} and user_id = ${userId} and id = ${id} returning kind`,
    )
    if (!renamed) return false
    const detail = { kind: renamed.kind, name }
    await recordAudit(trx, { subscriptionId, actor, action: 'factor.rename', subject: actor.name, detail })
    return true
  })
}

/**
 * Removes a factor, and with the last one the recovery codes. Recorded in the audit log.
 *
 * @param keepLast whether the user needs at least one.
 * @returns `last`, and nothing changed, if it is the only one and the user needs it.
 */
export async function removeFactor(
  db: Db,
  {
    subscriptionId,
    userId,
    id,
    keepLast,
    actor,
  }: FactorOwner & { readonly id: string; readonly keepLast: boolean; readonly actor: Actor },
): Promise<'removed' | 'last' | undefined> {
  return db.transaction(async (trx) => {
    const owner = { subscriptionId, userId }
    const user = await lockUser(trx, owner)
    const factors = await listFactors(trx, owner)
    const removed = factors.find((factor) => factor.id === id)
    if (!user || !removed) return undefined
    const isLast = factors.length === 1
    if (isLast && keepLast) return 'last'
    await queryRows(
      trx,
      sql`delete from factors where subscription_id = ${subscriptionId} and user_id = ${userId} and id = ${id}`,
    )
    if (isLast) await removeRecoveryCodes(trx, owner)
    const detail = { kind: removed.kind, name: removed.name }
    await recordAudit(trx, { subscriptionId, actor, action: 'factor.remove', subject: user.email, detail })
    return 'removed'
  })
}

/**
 * Removes all factors and recovery codes of a user who lost them, and ends the user's sessions. Recorded in the audit log.
 *
 * @returns how many factors there were; undefined if the subscription has no such user.
 */
export async function resetFactors(
  db: Db,
  { subscriptionId, userId, actor }: FactorOwner & { readonly actor: Actor },
): Promise<{ readonly removed: number } | undefined> {
  return db.transaction(async (trx) => {
    const owner = { subscriptionId, userId }
    const user = await lockUser(trx, owner)
    if (!user) return undefined
    const rows = await queryRows(
      trx,
      sql`delete from factors where subscription_id = ${subscriptionId} and user_id = ${userId} returning id`,
    )
    await removeRecoveryCodes(trx, owner)
    await endUserSessions(trx, owner)
    const detail = { removed: rows.length }
    await recordAudit(trx, { subscriptionId, actor, action: 'factor.reset', subject: user.email, detail })
    return detail
  })
}

async function removeRecoveryCodes(trx: Db, { subscriptionId, userId }: FactorOwner): Promise<void> {
  await queryRows(
    trx,
    sql`delete from recovery_codes where subscription_id = ${subscriptionId} and user_id = ${userId}`,
  )
}
