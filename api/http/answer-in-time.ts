import { Problem } from './problem.ts'

/** What an answer may take while the stores answer; it takes a hundredth of that, or a second in a burst. */
const ANSWER_MS = 10_000

/**
 * The work's outcome, or a problem after 10 s and what it may wait on purpose, so that nobody waits for a Postgres that
 * is there and does not answer. The work itself goes on.
 *
 * @throws Problem `unavailable` when the time is over.
 */
export async function answerInTime<T>(work: Promise<T>, waitMs = 0): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const detail = 'No answer came in time, so what was asked may have been done; sending it again is safe'
    reject(
      new Problem('unavailable', {
        detail,
        retryAfterSeconds: 2,
        cause: new Error(`No answer from the stores in ${ANSWER_MS + waitMs} ms`),
      }),
    )
  }, ANSWER_MS + waitMs)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
