import type { Logger } from 'pino'
import { leadsToPooler } from '../postgres/pooler.ts'
import type { QueueLocation } from './open-queue.ts'

/**
 * Warns if `DATABASE_URL` leads to a pooler and no `DATABASE_DIRECT_URL` says so, as Postgres then knows no timeouts or the pooler refuses
 * connections that announce them. Exits the process if the queue, which needs sessions of its own, would be on such connections.
 *
 * If Postgres is unavailable, nothing is checked.
 */
export async function checkPooler({ database, redis }: QueueLocation, log: Logger): Promise<void> {
  if (database.directUrl !== undefined) return
  if (!(await leadsToPooler(database).catch(() => false))) return
  if (redis === undefined) {
    log.fatal(
      'DATABASE_URL leads to a pooler, through which the queue in Postgres does not work: set DATABASE_DIRECT_URL to the address of ' +
        'Postgres itself, or REDIS_URL',
    )
    process.exit(1)
  }
  log.warn(
    'DATABASE_URL leads to a pooler, which may refuse connections or drop the timeouts of statements: set DATABASE_DIRECT_URL to the ' +
      'address of Postgres itself',
  )
}
