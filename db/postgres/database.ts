import { Socket } from 'node:net'
import knex, { type Knex } from 'knex'
import pg from 'pg'
import { APPLICATION_NAME, RELEASE_NAME } from './application-name.ts'
import { ClosingClient } from './closing-client.ts'
import { isLostStatement } from './database-errors.ts'
import { migrationClient } from './migration-client.ts'
import { PooledClient } from './pooled-client.ts'
import { findBinaryParser } from './read-binary.ts'
import { raw, Sql } from './sql.ts'
import { SILENCE_MS, STATEMENT_MS } from './timeouts.ts'
import { sendLargeValuesUncopied } from './write-bind.ts'

/** A pool or a transaction; the caller owns the transaction. */
export type Db = Knex

/** The connection to Postgres. */
export interface DatabaseOptions {
  readonly url: string
  /** Of Postgres itself, where `url` is of a pooler that may give each transaction another session. */
  readonly directUrl?: string | undefined
  readonly poolMax: number
  /** `unverified` encrypts without checking the certificate; undefined leaves it to the URL's `sslmode`. */
  readonly tls?: 'off' | 'unverified' | 'verified' | undefined
  /** PEM of the certificate authority to trust, instead of the system's. */
  readonly ca?: string | undefined
  /** What the name of the sessions says after that of the service; see `nameSessions`. */
  readonly sessionName?: string | undefined
}

/** Returns the connection options from a process's environment. */
export function databaseOptions(env: {
  DATABASE_URL: string
  DATABASE_DIRECT_URL?: string | undefined
  DATABASE_POOL_MAX: number
  DATABASE_TLS?: DatabaseOptions['tls']
  DATABASE_CA?: string | undefined
}): DatabaseOptions {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl, DATABASE_POOL_MAX: poolMax } = env
  return { url, directUrl, poolMax, tls: env.DATABASE_TLS, ca: env.DATABASE_CA }
}

/** Returns the options of connections that keep their session: to Postgres itself, past the pooler. */
export const directOptions = ({ directUrl, ...options }: DatabaseOptions): DatabaseOptions => ({
  ...options,
  url: directUrl ?? options.url,
})

const INT8 = pg.types.builtins.INT8
const JSON_TEXT = pg.types.builtins.JSON

/**
 * Reads int8 as a number (ids stay far below 2^53), and leaves `json` as the stored text, so that an insight is sent without being
 * parsed; `jsonb` is parsed as usual.
 */
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (format === 'binary') return findBinaryParser(oid)
    if (oid === INT8) return Number
    if (oid === JSON_TEXT) return (text: string) => text
    return pg.types.getTypeParser(oid, format)
  },
}

/** The connection settings that the pool of the tables and that of the queue share. */
export function connectionConfig({ url, tls, ca, sessionName }: DatabaseOptions) {
  const ssl =
    tls === undefined && ca === undefined
      ? {}
      : { ssl: tls === 'off' ? false : { rejectUnauthorized: tls !== 'unverified', ...(ca && { ca }) } }
  return {
    connectionString: url,
    application_name: sessionName === undefined ? APPLICATION_NAME : `${APPLICATION_NAME} ${sessionName}`,
    connectionTimeoutMillis: 3_000,
    keepAlive: true,
    ...ssl,
  }
}

/**
 * Opens a pool; connections are made when first needed. The caller destroys it.
 *
 * Nothing waits indefinitely: 3 s for a connection, 15 s for a statement, 20 s for a silent connection, so that a lost Postgres
 * becomes an error.
 *
 * @param unlimited statements have no timeout, for migrations.
 * @param lockMs of a release process: its statements fail when they have waited for a lock for this long.
 */
export function openDatabase(
  options: DatabaseOptions,
  { unlimited = false, lockMs }: { unlimited?: boolean; lockMs?: number } = {},
): Db {
  const isPooled = options.directUrl !== undefined
  const db = knex({
    client: 'pg',
    connection: {
      ...connectionConfig(options),
      ...(lockMs !== undefined && { application_name: RELEASE_NAME }),
      ...(!unlimited && { stream: openSocket }),
      ...(!unlimited && !isPooled && { statement_timeout: STATEMENT_MS }),
      ...(!isPooled && { idle_in_transaction_session_timeout: STATEMENT_MS }),
      pipeline: true, // independent statements of a transaction are sent together
      types,
    } as Knex.PgConnectionConfig & { pipeline: boolean },
    pool: { min: 0, max: options.poolMax, afterCreate: prepareConnection },
    acquireConnectionTimeout: 5_000,
    log: { warn: ignore, error: ignore }, // it would print errors that it also throws
  })
  const Client = lockMs === undefined ? (isPooled ? PooledClient : ClosingClient) : migrationClient(lockMs)
  db.client.driver = { ...pg, Client }
  if (isPooled) unpreparedPools.add(db.client) // a session that it was given does not know what another one prepared
  db.on('query-error', removeValues)
  return db
}

function prepareConnection(client: pg.Client, done: (error: null, client: pg.Client) => void): void {
  sendLargeValuesUncopied(client.connection)
  done(null, client)
}

/**
 * Opens a socket that fails when it is silent: TCP notices a connection that was lost without notice, as in a failover, only after
 * 15 minutes. Idle connections of the pool end too, which does no harm.
 */
function openSocket(): Socket {
  const socket = new Socket()
  return socket.setTimeout(SILENCE_MS, () => {
    socket.destroy(Object.assign(new Error('Postgres was silent for too long'), { code: 'ETIMEDOUT' }))
  })
}

const ignore = () => undefined

/** Removes the members in which Postgres quotes rows and parameters: errors are logged, data of clients must not be. */
function removeValues(error: Error & { detail?: string; where?: string }): void {
  delete error.detail
  delete error.where
}

/**
 * Returns the rows of a statement built by `sql`; the form with text is for hot statements, whose `?` stand for the bindings.
 *
 * In a transaction, statements run on its connection in the order of the calls; calls that do not wait for each other share
 * one round trip.
 *
 * The statement goes to the connection directly: Knex parses a statement with hundreds of bindings several times, which takes
 * 0.03 to 0.07 ms per upload in batches of 32.
 */
export function queryRows<Row>(db: Db, statement: Sql): Promise<Row[]>
export function queryRows<Row>(db: Db, text: string, bindings?: readonly unknown[]): Promise<Row[]>
export function queryRows<Row>(
  db: Db,
  statement: Sql | string,
  bindings: readonly unknown[] = [],
): Promise<Row[]> {
  if (statement instanceof Sql) return runStatement(db, { text: statement.text, values: statement.values })
  let place = 0
  return runStatement(db, { text: statement.replaceAll('?', () => `$${++place}`), values: bindings })
}

/**
 * As `queryRows`, with results in Postgres' binary format, for statements that return blobs: half the bytes, and nothing to decode. Only for
 * columns of the types that read-binary.ts can parse; others fail the statement.
 */
export const queryBinaryRows = <Row>(db: Db, { text, values }: Sql): Promise<Row[]> =>
  runStatement(db, { text, values, binary: true })

/** A statement with `$1`, `$2` and so on in place of the values. */
export interface Statement {
  /** Postgres keeps a named statement parsed and planned for the lifetime of the connection. */
  readonly name?: string
  readonly text: string
  readonly values: readonly unknown[]
  /** Whether the values of the result are sent in binary. */
  readonly binary?: boolean
}

/** Pools that prepare no statements: behind a pooler, known or noticed by a connection that lost a prepared statement. */
const unpreparedPools = new WeakSet<ConnectionPool>()

/** Returns the rows of a statement. Use a named one outside of transactions only: its retry needs an intact transaction. */
export async function runStatement<Row>(db: Db, statement: Statement): Promise<Row[]> {
  const { client } = db as unknown as { client: ConnectionPool }
  const connection = await client.acquireConnection()
  const { name, ...unnamed } = statement
  const run = async (query: Statement) => (await connection.query(query as pg.QueryConfig)).rows as Row[]
  try {
    if (name === undefined || unpreparedPools.has(client)) return await run(unnamed)
    try {
      return await run(statement)
    } catch (error) {
      if (!isLostStatement(error)) throw error
      unpreparedPools.add(client)
      return await run(unnamed) // the prepared one did not start
    }
  } catch (error) {
    if (error instanceof Error) removeValues(error)
    throw error
  } finally {
    await client.releaseConnection(connection)
  }
}

/** Knex's interface for dialects that lends connections; a transaction lends its own. */
interface ConnectionPool {
  acquireConnection(): Promise<pg.ClientBase>
  releaseConnection(connection: pg.ClientBase): Promise<void>
}

/**
 * Returns rows as a list for `values`, with their bindings: `(?::int, ?::text), (?, ?)`. For hot statements; see `valueRows`.
 *
 * Faster than arrays for `unnest`, which node-postgres has to escape into one text.
 */
export function valuesOf(
  casts: readonly string[],
  rows: readonly (readonly unknown[])[],
): { sql: string; bindings: unknown[] } {
  const first = `(${casts.map((cast) => `?::${cast}`).join(', ')})`
  const other = `(${casts.map(() => '?').join(', ')})` // takes its types from the first
  return { sql: rows.map((_, n) => (n === 0 ? first : other)).join(', '), bindings: rows.flat() }
}

/** SQL text that formats a timestamptz as the interface does: UTC, six fractional digits, no zone. */
export const sixDigits = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US')`

/** Formats a timestamptz as `sixDigits`, as a part of a statement built by `sql`. */
export const utcText = (column: string): Sql => raw(sixDigits(column))
