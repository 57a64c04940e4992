import { type Db, queryRows } from '../postgres/database.ts'

/** A private signing key as a JSON Web Key. */
export type PrivateJwk = { readonly kid: string } & Readonly<Record<string, unknown>>

/** No login token is valid for longer, whatever a web process is set to. */
export const MAX_TOKEN_MINUTES = 1_440

/**
 * A new key verifies at once and signs after this: by then every web process that asks anew for a key that it does not
 * know, at most once a second, learns it.
 */
const SIGNS_AFTER = "interval '5 seconds'"

/** So long after a key began to sign, no token of the keys before it is valid: MAX_TOKEN_MINUTES and an hour of leeway. */
const LAST_TOKEN_AFTER = `interval '${MAX_TOKEN_MINUTES + 60} minutes'`

/** A signing key that is kept in the database. */
export interface TokenKey {
  readonly jwk: PrivateJwk
  /** Whether it is old enough to sign. */
  readonly signs: boolean
}

/** Keeps a first signing key, unless one is kept already: processes that start at once agree on one. */
export async function saveFirstTokenKey(db: Db, jwk: PrivateJwk): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('lock table token_keys in share row exclusive mode')
    await trx.raw(
      'insert into token_keys (kid, private_jwk) select ?, ?::jsonb where not exists (select from token_keys)',
      [jwk.kid, JSON.stringify(jwk)],
    )
  })
}

/** All keys that are kept, newest first. */
export async function listTokenKeys(db: Db): Promise<TokenKey[]> {
  return queryRows(
    db,
    `select private_jwk as jwk, created_at <= now() - ${SIGNS_AFTER} as signs
     from token_keys order by created_at desc, kid`,
  )
}

/**
 * Keeps one more key, which signs from `signsFrom` on; web processes that run learn it by themselves.
 *
 * @returns undefined, and keeps nothing, when no key is kept: then nobody signs with those of the database.
 */
export async function addTokenKey(
  db: Db,
  jwk: PrivateJwk,
): Promise<{ signsFrom: Date; othersRemovedFrom: Date } | undefined> {
  const [added] = await queryRows<{ signsFrom: Date; othersRemovedFrom: Date }>(
    db,
    `insert into token_keys (kid, private_jwk) select ?, ?::jsonb where exists (select from token_keys)
     returning created_at + ${SIGNS_AFTER} as "signsFrom",
               created_at + ${SIGNS_AFTER} + ${LAST_TOKEN_AFTER} as "othersRemovedFrom"`,
    [jwk.kid, JSON.stringify(jwk)],
  )
  return added
}

/** Removes the keys none of whose tokens can be valid any more. @returns their ids. */
export async function removeExpiredTokenKeys(db: Db): Promise<string[]> {
  const removed = await queryRows<{ kid: string }>(
    db,
    `delete from token_keys where created_at < (
       select max(created_at) from token_keys where created_at < now() - ${SIGNS_AFTER} - ${LAST_TOKEN_AFTER}
     ) returning kid`,
  )
  return removed.map(({ kid }) => kid)
}
