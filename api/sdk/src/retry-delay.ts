const FIRST_MS = 500
const MAX_MS = 30_000

/**
 * Returns how long to wait before the next attempt, in milliseconds: at least `retryAfterSeconds`, doubled with each failure
 * from 0.5 s to 30 s, less a random part of up to a half, so that browsers do not return together.
 *
 * @param random 0 to 1
 */
export const retryDelay = (failures: number, retryAfterSeconds = 0, random = Math.random()): number =>
  Math.min(MAX_MS, FIRST_MS * 2 ** failures) * (1 - random / 2) + retryAfterSeconds * 1000
