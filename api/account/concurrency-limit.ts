import pLimit from 'p-limit'
import { Problem } from '../http/problem.ts'

/** Uploads and reads keep six of the 10 Postgres connections that a process has by default. */
const MAX_CONCURRENT = 4

/** Maximum queue length: about 6 s of waiting for a login, at 16 logins per second and process. */
const MAX_WAITING = 100

/**
 * Limits the concurrency of unauthenticated work, so that a flood of it leaves Postgres and the cores to authenticated
 * requests.
 *
 * @throws Problem `overloaded` when too many wait.
 */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>

export function openConcurrencyLimit(): ConcurrencyLimit {
  const limit = pLimit(MAX_CONCURRENT)
  return async (work) => {
    if (limit.pendingCount >= MAX_WAITING) throw new Problem('overloaded', { retryAfterSeconds: 2 })
    return limit(work)
  }
}
