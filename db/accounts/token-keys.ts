import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { MAX_TOKEN_MINUTES } from './token-lifetime.ts'

/** A private signing key as a JSON Web Key. */
export type PrivateJwk = { readonly kid: string } & Readonly<Record<string, unknown>>

/**
 * A new key verifies at once and signs after this. A web process that meets an unknown key reads the keys again, at most once a
 * second, so that all of them know the key by then.
 */
const SIGNS_AFTER = raw("interval '5 seconds'")

/** Time from a key's first signature until no token of older keys is valid: MAX_TOKEN_MINUTES and an hour of leeway. */
const LAST_TOKEN_AFTER = raw(`interval '${MAX_TOKEN_MINUTES + 60} minutes'`)

/** A signing key stored in the database. */
export interface TokenKey {
  readonly jwk: PrivateJwk
  /** Whether it is old enough to sign. */
  readonly signs: boolean
}

/** Stores a first signing key unless there is one already, so that processes that start concurrently agree on one. */
export async function saveFirstTokenKey(db: Db, jwk: PrivateJwk): Promise<void> {
  await db.transaction(async (trx) => {
    await queryRows(trx, sql`lock table token_keys in share row exclusive mode`)
    await queryRows(
      trx,
      sql`insert into token_keys (kid, private_jwk) select ${jwk.kid}, ${JSON.stringify(jwk)}::jsonb
          where not exists (select from token_keys)`,
    )
  })
}

/** Lists all stored keys, newest first. */
export async function listTokenKeys(db: Db): Promise<TokenKey[]> {
  return queryRows(
    db,
    sql`select private_jwk as jwk, created_at <= now() - ${SIGNS_AFTER} as signs
     from token_keys order by created_at desc, kid`,
  )
}

/**
 * Stores another key, which signs from `signsFrom` on; running web processes find it by themselves.
 *
 * @returns undefined, and stores nothing, if no key is stored: then web processes do not sign with the keys of the database.
 */
export async function addTokenKey(
  db: Db,
  jwk: PrivateJwk,
): Promise<{ signsFrom: Date; othersRemovedFrom: Date } | undefined> {
  const [added] = await queryRows<{ signsFrom: Date; othersRemovedFrom: Date }>(
    db,
    sql`insert into token_keys (kid, private_jwk) select ${jwk.kid}, ${JSON.stringify(jwk)}::jsonb where exists (select from token_keys)
     returning created_at + ${SIGNS_AFTER} as "signsFrom",
               created_at + ${SIGNS_AFTER} + ${LAST_TOKEN_AFTER} as "othersRemovedFrom"`,
  )
  return added
}

/** Removes keys of which no token can be valid any more. @returns their ids. */
export async function removeExpiredTokenKeys(db: Db): Promise<string[]> {
  const removed = await queryRows<{ kid: string }>(
    db,
    sql`delete from token_keys where created_at < (
       select max(created_at) from token_keys where created_at < now() - ${SIGNS_AFTER} - ${LAST_TOKEN_AFTER}
     ) returning kid`,
  )
  return removed.map(({ kid }) => kid)
}
