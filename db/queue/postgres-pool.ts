import type { EventEmitter } from 'node:events'
import type { PgPool, PgPoolClient } from 'bullmq'
import pg from 'pg'
import { connectionConfig, type DatabaseOptions } from '../postgres/database.ts'
import { isPassingDatabaseError } from '../postgres/database-errors.ts'

/** The schema of BullMQ's tables when the queue is on Postgres: the one it takes where it is given a pool. */
export const QUEUE_SCHEMA = 'bullmq'

/** BullMQ's statements are short; an answer that takes this long never comes. */
const ANSWER_MS = 15_000

/**
 * Opens the pool through which BullMQ reaches its own tables, apart from the pool of ours, so that neither waits for
 * the other's connections. The caller ends it.
 *
 * With a pool of its own, BullMQ takes a Postgres that goes away for a faulty statement, and asks again without a
 * pause, so that the process never hears a signal; and an error on a connection that it has let go ends the process.
 */
export function openQueuePool(database: DatabaseOptions, max: number): PgPool {
  const pool = new pg.Pool({
    ...connectionConfig(database),
    options: `-c search_path=${QUEUE_SCHEMA}`,
    query_timeout: ANSWER_MS,
    max,
    Client: QueueClient,
  } as pg.PoolConfig)
  // it holds all of the connection's settings, and errors are logged
  pool.on('error', (error: Error & { client?: unknown }) => delete error.client)
  return {
    query: (text, params) => pool.query(text, params as unknown[]).catch(throwAsAway),
    async connect() {
      const client = (await pool.connect().catch(throwAsAway)) as unknown as QueueClient & PgPoolClient
      if (!client.lost) return client
      client.release(true)
      return throwAsAway(new Error('Connection terminated unexpectedly'))
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

/** Knows when its connection is gone; an error that nobody listens for any more ends nothing. */
class QueueClient extends pg.Client {
  lost = false

  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (event === 'end' || event === 'error') this.lost = true
    if (event === 'error' && this.listenerCount('error') === 0) return false
    return super.emit(event, ...args)
  }
}

/** BullMQ pauses after a connection that is refused, and after no other error. */
function throwAsAway(error: Error): never {
  if (isPassingDatabaseError(error))
    throw Object.assign(new Error(error.message, { cause: error }), { code: 'ECONNREFUSED' })
  throw error
}
