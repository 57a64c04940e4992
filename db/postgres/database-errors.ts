/**
 * Classes of error codes: connection, rollback (deadlock, serialisation), resources (disk, memory, connections), intervention
 * (shutdown, statement timeout), system, internal; lock timeout, read-only standby, idle transaction timeout.
 */
const TRANSIENT = /^(08|40|53|57|58|XX|55P03|25006|25P03)/
const LOST_STATEMENT = /^(26000|42P05)$/
const CONNECTION = /ECONNREFUSED|ECONNRESET|ENOTFOUND|EPIPE|ETIMEDOUT|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/
const POOL =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|Timeout acquiring a connection|Unable to acquire a connection|Client has encountered a connection error|not queryable/

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/**
 * Whether the error is transient (connection, resources, shutdown, failover, deadlock), so that the same call may succeed later;
 * false for errors of the statement or its data.
 *
 * @see PostgreSQL manual, appendix A, error codes
 */
export function isTransientDatabaseError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isTransientDatabaseError)
  const code = codeOf(error)
  return TRANSIENT.test(code) || CONNECTION.test(code) || POOL.test(error.message)
}

/** Whether the statement exceeded its timeout. */
export const isStatementTimeout = (error: unknown): boolean => codeOf(error) === '57014'

/**
 * Whether a prepared statement cannot be used any more: the connection does not know it, or knows another of its name, because a
 * pooler in between does not track statements; or a migration changed the type of its result.
 */
export const isLostStatement = (error: unknown): boolean =>
  LOST_STATEMENT.test(codeOf(error)) ||
  (error instanceof Error && error.message === 'cached plan must not change result type')

/** Whether another row has the same key. */
export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === '23505'
