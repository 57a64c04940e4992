import { createHash, randomInt } from 'node:crypto'
import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { type FactorOwner, lockUser } from './factor-owner.ts'

/** Recovery codes that a user gets at once. */
const CODES = 10

/** Without I, L, O and U, which are mistaken for others. @see Crockford's Base32 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** Characters of a code: 120 random bits, so that a plain hash cannot be reversed. @see OWASP ASVS 5.0.0, 6.5.2: at least 112 */
const CHARACTERS = 24

const makeCode = () =>
  Array.from({ length: CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)])
    .join('')
    .replace(/.{4}(?=.)/g, '$&-')

/** Ignores case, spaces and hyphens, and reads letters that are mistaken for digits as these. */
const normalize = (code: string) =>
  code.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')

const hash = (code: string) => createHash('sha256').update(normalize(code)).digest()

/**
 * Replaces a user's recovery codes, which can be shown only now: hashes are stored.
 *
 * @returns 10 codes such as `7t3k-9mwd-x2pa-hv5q-0c8n-e4jr`.
 */
export async function replaceRecoveryCodes(
  trx: Db,
  { subscriptionId, userId }: FactorOwner,
): Promise<string[]> {
  const codes = Array.from({ length: CODES }, makeCode)
  await queryRows(
    trx,
    sql`delete from recovery_codes where subscription_id = ${subscriptionId} and user_id = ${userId}`,
  )
  await queryRows(
    trx,
    sql`insert into recovery_codes (subscription_id, user_id, code_hash)
        select ${subscriptionId}::integer, ${userId}::integer, code_hash
        from unnest(${codes.map(hash)}::bytea[]) code_hash`,
  )
  return codes
}

/** As `replaceRecoveryCodes`, recorded in the audit log. @returns undefined for a user without a factor, who needs none. */
export async function renewRecoveryCodes(
  db: Db,
  { actor, ...owner }: FactorOwner & { readonly actor: Actor },
): Promise<string[] | undefined> {
  return db.transaction(async (trx) => {
    const { subscriptionId, userId } = owner
    const user = await lockUser(trx, owner)
    const [factor] = await queryRows(
      trx,
      sql`select from factors where subscription_id = ${subscriptionId} and user_id = ${userId} limit 1`,
    )
    if (!user || !factor) return undefined
    const codes = await replaceRecoveryCodes(trx, owner)
    await recordAudit(trx, { subscriptionId, actor, action: 'factor.codes', subject: user.email })
    return codes
  })
}

/** Uses up a recovery code and records it in the audit log. @returns whether it was a valid one. */
export async function takeRecoveryCode(
  db: Db,
  { subscriptionId, userId, actor, code }: FactorOwner & { readonly actor: Actor; readonly code: string },
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const [used] = await queryRows(
      trx,
      sql`update recovery_codes set used_at = now()
          where subscription_id = ${subscriptionId} and user_id = ${userId} and code_hash = ${hash(code)}
            and used_at is null
          returning user_id`,
    )
    if (!used) return false
    await recordAudit(trx, { subscriptionId, actor, action: 'factor.recovery', subject: actor.name })
    return true
  })
}
