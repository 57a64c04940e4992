import { withTimeout } from '../../db/runtime/with-timeout.ts'
import { Problem } from './problem.ts'

/** Time that Postgres may take per request; usual are 100 ms, and one second in a burst. */
const TIMEOUT_MS = 10_000

/** Timeouts are rounded up to this step: Node keeps one list of timers per duration, so few distinct ones are cheap. */
const STEP_MS = 500

/**
 * Returns the outcome of work on the stores, or throws when the request's timeout expires; the work itself continues.
 *
 * @param waitMs time that this work may wait intentionally, in addition to the timeout.
 * @throws Problem `unavailable`
 */
export type WithinTimeout = <T>(work: Promise<T>, waitMs?: number) => Promise<T>

/** Starts the timeout of a request: 10 s, so that clients do not wait for a Postgres that accepts connections but does not respond. */
export function startRequestTimeout(): WithinTimeout {
  let leftMs = TIMEOUT_MS
  return async (work, waitMs = 0) => {
    const startedAt = performance.now()
    try {
      return await withTimeout(Math.ceil((leftMs + waitMs) / STEP_MS) * STEP_MS, timedOut, work)
    } finally {
      leftMs -= performance.now() - startedAt
    }
  }
}

const timedOut = () =>
  new Problem('unavailable', {
    detail: 'The request timed out and may or may not have taken effect; it is safe to retry',
    retryAfterSeconds: 2,
    cause: new Error(`The stores did not respond within ${TIMEOUT_MS} ms`),
  })
