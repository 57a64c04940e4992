/** The promise's outcome, or an error after so many milliseconds; the work itself is not cancelled. */
export async function within<T>(ms: number, who: string, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`${who} did not answer within ${ms} ms`)), ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
