/** Returns the message of an error in one line, or its code where it has no message, as errors of several addresses. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause instanceof Error ? error.cause : undefined
  const message = error.message === 'fetch failed' && cause ? describeError(cause) : error.message
  const code = 'code' in error ? String(error.code) : error.name
  return (message || code).split('\n', 1)[0] ?? code
}
