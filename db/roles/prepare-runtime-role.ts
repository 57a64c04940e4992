import pg from 'pg'
import { connectionConfig, type DatabaseOptions } from '../postgres/database.ts'
import { type Excess, findExcesses } from './find-excesses.ts'
import { grantPrivileges } from './grant-privileges.ts'
import { scramVerifier } from './scram-verifier.ts'

/**
 * What became of the runtime role:
 *
 * - `ready`: web and worker can use it. `excesses` are privileges that it should not have, and that the owner could not revoke.
 * - `shared`: `DATABASE_URL` names the owner itself.
 * - `missing`: it does not exist, and the owner may not create it.
 */
export type RuntimeRole =
  | { readonly outcome: 'ready'; readonly name: string; readonly excesses: readonly Excess[] }
  | { readonly outcome: 'shared'; readonly name: string }
  | { readonly outcome: 'missing'; readonly name: string; readonly reason: string; readonly sql: string }

/**
 * Makes the role of web and worker, by the name and password in their URL, if it is missing and the owner may; then grants it what
 * it needs, and revokes from everybody what nobody but the owner should. An existing role keeps its password.
 *
 * @param client connected as the owner, outside of a transaction.
 * @param runtime the connection of web and worker.
 */
export async function prepareRuntimeRole(
  client: pg.ClientBase,
  runtime: DatabaseOptions,
  schemas: readonly string[],
): Promise<RuntimeRole> {
  const { user: name = '', password } = new pg.Client(connectionConfig(runtime))
  const owner = await findOwner(client)
  if (name === owner) return { outcome: 'shared', name }
  const missing = await createMissing(client, name, password ?? undefined)
  if (missing) return { outcome: 'missing', name, ...missing }

  await client.query('begin')
  try {
    await grantPrivileges(client, name, schemas)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
  for (const { sql } of await findExcesses(client, name, owner, schemas))
    if (sql.includes(' from public')) await client.query(sql).catch(ignoreRefusal)
  return { outcome: 'ready', name, excesses: await findExcesses(client, name, owner, schemas) }
}

async function findOwner(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ owner: string }>('select current_user as owner')
  return rows[0]?.owner ?? ''
}

/** @returns why the role is still missing. */
async function createMissing(client: pg.ClientBase, name: string, password: string | undefined) {
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name])
  if (rowCount !== 0) return undefined
  const create = (secret: string) =>
    `create role ${pg.escapeIdentifier(name)} login password ${pg.escapeLiteral(secret)}`
  const sql = `${create('the password in DATABASE_URL')};`
  if (password === undefined || password === '') return { reason: 'DATABASE_URL has no password', sql }
  try {
    await client.query(create(scramVerifier(password)))
    return undefined
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    const existsNow = error.code === '42710' || error.code === '23505' // by a release of another database on the same server
    return existsNow ? undefined : { reason: error.message, sql }
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE)) throw error
}
