import type { EventEmitter } from 'node:events'
import type { PgPool, PgPoolClient } from 'bullmq'
import pg from 'pg'
import { connectionConfig, type DatabaseOptions, directOptions } from '../postgres/database.ts'
import { isTransientDatabaseError } from '../postgres/database-errors.ts'

/** The schema of BullMQ's tables when the queue is on Postgres: BullMQ's default when it is given a pool. */
export const QUEUE_SCHEMA = 'bullmq'

/** BullMQ's statements are short; a response that takes so long never comes. */
const QUERY_TIMEOUT_MS = 15_000

/**
 * Opens the pool that BullMQ uses for its own tables, separate from ours, so that neither waits for the other's
 * connections. The caller ends it.
 *
 * With a pool that BullMQ creates, it mistakes an unavailable Postgres for a faulty statement and retries without a
 * pause, so that the process never handles a signal; and an error on a connection that it has released ends the process.
 */
export function openQueuePool(database: DatabaseOptions, max: number): PgPool {
  const pool = new pg.Pool({
    ...connectionConfig(directOptions(database)), // it listens, and has a search path of its own
    options: `-c search_path=${QUEUE_SCHEMA}`,
    query_timeout: QUERY_TIMEOUT_MS,
    max,
    Client: QueueClient,
  } as pg.PoolConfig)
  // it holds all settings of the connection, with the password, and errors are logged
  pool.on('error', (error: Error & { client?: unknown }) => delete error.client)
  return {
    query: (text, params) => pool.query(text, params as unknown[]).catch(throwAsRefused),
    async connect() {
      const client = (await pool.connect().catch(throwAsRefused)) as unknown as QueueClient & PgPoolClient
      if (!client.lost) return client
      client.release(true)
      return throwAsRefused(new Error('Connection terminated unexpectedly'))
    },
    end: () => pool.end(),
    on(event: 'error' | 'connect', listener: (subject: Error & PgPoolClient) => void) {
      ;(pool as EventEmitter).on(event, listener)
      return this
    },
    removeAllListeners(event) {
      pool.removeAllListeners(event)
      return this
    },
  }
}

/** Records that its connection is lost. Its errors do not end the process once nobody listens for them. */
class QueueClient extends pg.Client {
  lost = false

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'end' || event === 'error') this.lost = true
    if (event === 'error' && this.listenerCount('error') === 0) return false
    return super.emit(event, ...args)
  }
}

/** Throws any temporary error as a refused connection: BullMQ pauses before it retries after that error only. */
function throwAsRefused(error: Error): never {
  if (isTransientDatabaseError(error))
    throw Object.assign(new Error(error.message, { cause: error }), { code: 'ECONNREFUSED' })
  throw error
}
