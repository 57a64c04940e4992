/**
 * The promise's outcome, or an error after so many milliseconds; the work itself is not cancelled.
 *
 * @param late who did not answer, for the error's text, or what makes the error.
 */
export async function withTimeout<T>(ms: number, late: string | (() => Error), work: Promise<T>): Promise<T> {
  const tooLate = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    tooLate.reject(typeof late === 'string' ? new Error(`${late} did not answer within ${ms} ms`) : late())
  }, ms)
  try {
    return await Promise.race([work, tooLate.promise])
  } finally {
    clearTimeout(timer)
  }
}
