/**
 * Connection, rollback (deadlock, serialisation), resources (disk, memory, connections), intervention (shutdown, a
 * statement over its time), system, internal; a lock not had in time, a standby, a transaction that was left idle.
 */
const OURS_TO_RETRY = /^(08|40|53|57|58|XX|55P03|25006|25P03)/
const LOST_STATEMENT = /^(26000|42P05)$/
const CONNECTION = /ECONNREFUSED|ECONNRESET|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/
const POOL =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|Timeout acquiring a connection|Unable to acquire a connection|Client has encountered a connection error|not queryable/

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/**
 * Whether Postgres is away, refuses work or gave it up for a passing reason (connection, resources, shutdown,
 * failover, deadlock), so that the same call may succeed later. Not so for faults of the statement or its data.
 *
 * @see PostgreSQL manual, appendix A, error codes
 */
export function isTransientDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isTransientDatabaseError)
  const code = codeOf(error)
  return OURS_TO_RETRY.test(code) || CONNECTION.test(code) || POOL.test(error.message)
}

/** Whether the statement took longer than it may. */
export const isStatementTimeout = (error: unknown): boolean => codeOf(error) === '57014'

/**
 * Whether a prepared statement is of no more use: the connection does not know it, or knows another by its name, because a
 * pooler stands between that keeps no account of statements; or a migration changed the type of what it returns.
 */
export const isLostStatement = (error: unknown): boolean =>
  LOST_STATEMENT.test(codeOf(error)) ||
  (error instanceof Error && error.message === 'cached plan must not change result type')

/** Whether a row was refused because another has its key. */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === '23505'
