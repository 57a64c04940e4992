/**
 * Returns the outcome of `work`, or rejects after `ms` milliseconds; the work itself is not cancelled.
 *
 * @param late the name of the callee for the error's text, or a function that creates the error.
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
