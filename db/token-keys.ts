import { type Db, queryRows } from './database.ts'

/** A private signing key as a JSON Web Key. */
export type PrivateJwk = { readonly kid: string } & Readonly<Record<string, unknown>>

/**
 * Keeps a first signing key, unless one is kept already, and gives all that are kept, newest first.
 *
 * Processes that start at once agree on one key: whoever comes second keeps nothing and reads the first one's.
 */
export async function keepFirstTokenKey(db: Db, jwk: PrivateJwk): Promise<PrivateJwk[]> {
  return db.transaction(async (trx) => {
    await trx.raw('lock table token_keys in share row exclusive mode')
    await trx.raw(
      'insert into token_keys (kid, private_jwk) select ?, ?::jsonb where not exists (select from token_keys)',
      [jwk.kid, JSON.stringify(jwk)],
    )
    const rows = await queryRows<{ jwk: PrivateJwk }>(
      trx,
      'select private_jwk as jwk from token_keys order by created_at desc, kid',
    )
    return rows.map((row) => row.jwk)
  })
}
