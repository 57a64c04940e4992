import pLimit from 'p-limit'
import { Problem } from '../http/problem.ts'

/** At once: of the 10 connections to Postgres that a process has by default, uploads and reads keep six. */
const MAX_CONCURRENT = 4

/** More may wait for their turn: about 2 s for a log-in, of which one process does 50 a second. */
const MAX_WAITING = 100

/**
 * Does things that anybody may ask for a few at once, so that a flood of them leaves Postgres and the cores to those
 * who have a credential.
 *
 * The work's outcome, or Problem `overloaded` when too many wait.
 */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>

export function openConcurrencyLimit(): ConcurrencyLimit {
  const limit = pLimit(MAX_CONCURRENT)
  return async (work) => {
    if (limit.pendingCount >= MAX_WAITING) throw new Problem('overloaded', { retryAfterSeconds: 2 })
    return limit(work)
  }
}
