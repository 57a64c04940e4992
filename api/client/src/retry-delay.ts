const FIRST_MS = 250
const MAX_MS = 10_000

/**
 * Returns how long to wait before the next attempt, in milliseconds: a random part of a time that doubles with each failure
 * from 0.25 s to 10 s (full jitter), after the time that the service asked for. Callers that failed together do not return together.
 *
 * @param failures failed attempts so far, from 1
 * @param random 0 to 1
 */
export const retryDelay = (failures: number, retryAfterMs = 0, random = Math.random()): number =>
  retryAfterMs + random * Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1))
