const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Waiting times after the first, second, … attempt that failed: together about three days. */
const DELAYS = [
  5 * SECOND,
  30 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
]
const LONGEST = 12 * HOUR

/** Share by which a time is shorter or longer at random, so that failures of one moment are not repeated in one moment. */
const JITTER = 0.2

/** The longest `Retry-After` that is respected. */
const MAX_RETRY_AFTER = 24 * HOUR

/** Time after which a failing event is given up, and a receiver that took nothing else is disabled. */
export const GIVE_UP_MS = 72 * HOUR

/**
 * Returns when to try again.
 *
 * @param failures in a row, from 1.
 * @param scale makes all times shorter, for tests.
 * @param random from 0 to 1.
 */
export function retryTime(
  failures: number,
  {
    now,
    retryAt,
    scale = 1,
    random = Math.random(),
  }: { now: Date; retryAt?: Date | undefined; scale?: number; random?: number },
): Date {
  const delay = (DELAYS[failures - 1] ?? LONGEST) * (1 + JITTER * (2 * random - 1)) * scale
  const asked = Math.min((retryAt?.getTime() ?? 0) - now.getTime(), MAX_RETRY_AFTER)
  return new Date(now.getTime() + Math.max(delay, asked))
}
