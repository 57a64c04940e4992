const FIRST_MS = 1_000
const MAX_MS = 30_000

/**
 * Returns how long to wait before the next attempt, in milliseconds: the time that the service asked for and up to a quarter of it
 * more; otherwise a random part of a time that doubles with each failure from 1 to 30 s (full jitter). Callers that failed together do
 * not return together.
 *
 * @param failures failed attempts so far, from 1
 * @param random 0 to 1
 * @see docs/errors.md, "Retries"
 */
export const retryDelay = (failures: number, retryAfterMs = 0, random = Math.random()): number =>
  retryAfterMs > 0
    ? retryAfterMs * (1 + random / 4)
    : random * Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1))
