import { withTimeout } from '../../db/runtime/with-timeout.ts'
import { Problem } from './problem.ts'

/** What the stores may take for one answer; they take a hundredth of that, or a second in a burst. */
const STORES_MS = 10_000

/** Time is measured out in so many milliseconds: Node keeps a list of timers for each duration, and so needs few of them. */
const STEP_MS = 500

/**
 * The outcome of work on the stores, or a problem when the time for all work of one request is over; the work itself goes
 * on.
 *
 * @param waitMs what this work may wait on purpose, beyond that time.
 * @throws Problem `unavailable`
 */
export type WithinTimeout = <T>(work: Promise<T>, waitMs?: number) => Promise<T>

/** Starts the time of a request: 10 s, so that nobody waits for a Postgres that is there and does not answer. */
export function startRequestTimeout(): WithinTimeout {
  let leftMs = STORES_MS
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
    detail: 'No answer came in time, so what was asked may have been done; sending it again is safe',
    retryAfterSeconds: 2,
    cause: new Error(`The stores did not answer in ${STORES_MS} ms`),
  })
