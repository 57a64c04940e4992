import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { liveAndTest } from './test-subscriptions.ts'

/** What becomes of the live keys that a user created when the user is disabled or deleted. */
export const KEY_DECISIONS = ['keep', 'revoke'] as const

export type KeyDecision = (typeof KEY_DECISIONS)[number]

/** A live key that a user created. */
export interface KeyOfUser {
  readonly kind: 'api_key' | 'site_key'
  readonly id: number
  readonly label: string | null
}

/** A change that needs a decision about these keys; nothing was changed. */
export interface UndecidedKeys {
  readonly undecided: readonly KeyOfUser[]
}

const IS_LIVE = raw('revoked_at is null and (expires_at is null or expires_at > now())')

/**
 * Revokes the live keys that a user created, API keys of both modes and site keys, or keeps them. Each revocation is recorded in the audit log.
 *
 * @returns the keys if there are any and nothing was decided: then nothing changed.
 */
export async function settleKeysOfUser(
  trx: Db,
  user: { subscriptionId: number; userId: number; actor: Actor; keys: KeyDecision | undefined },
): Promise<UndecidedKeys | undefined> {
  const { subscriptionId, userId, actor, keys } = user
  if (keys === 'keep') return undefined
  // a key that is created at the same time, under this lock, is seen
  await queryRows(trx, sql`select from subscriptions where id = ${subscriptionId} for no key update`)
  const live = await listLiveKeysOfUser(trx, subscriptionId, userId)
  if (live.length === 0) return undefined
  if (keys === undefined) return { undecided: live }

  for (const table of ['api_keys', 'site_keys'])
    await queryRows(
      trx,
      sql`update ${raw(table)} set revoked_at = now()
          where subscription_id in ${liveAndTest(subscriptionId)} and created_by_user = ${userId} and ${IS_LIVE}`,
    )
  for (const { kind, id, label } of live)
    await recordAudit(trx, {
      subscriptionId,
      actor,
      action: kind === 'api_key' ? 'key.revoke' : 'site_key.revoke',
      subject: String(id),
      detail: { label },
    })
  return undefined
}

/**
 * Whether this actor may create keys: everybody but a user who is no longer an admin who can sign in, but whose credential a process
 * has cached. Call it under the lock of the subscription, as `settleKeysOfUser` does: no key is created after its decision.
 */
export async function mayCreateKeys(trx: Db, subscriptionId: number, actor: Actor): Promise<boolean> {
  if (actor.kind !== 'user') return true
  const found = await queryRows(
    trx,
    sql`select from users
        where subscription_id = ${subscriptionId} and id = ${actor.id} and role = 'admin' and disabled_at is null`,
  )
  return found.length > 0
}

async function listLiveKeysOfUser(trx: Db, subscriptionId: number, userId: number): Promise<KeyOfUser[]> {
  return queryRows(
    trx,
    sql`select kind, id, label from (
          select 'api_key' as kind, id, label, created_at from api_keys
          where subscription_id in ${liveAndTest(subscriptionId)} and created_by_user = ${userId} and ${IS_LIVE}
          union all
          select 'site_key', id, label, created_at from site_keys
          where subscription_id in ${liveAndTest(subscriptionId)} and created_by_user = ${userId} and ${IS_LIVE}
        ) keys order by kind, created_at, id`,
  )
}
