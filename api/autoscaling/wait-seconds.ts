import type { DrainTime } from '../../db/monitoring/drain-time.ts'

/** Maximum of the seconds to drain, as a multiple of the age; they count as this much without a measured rate. */
const MAX_DRAIN_PER_AGE = 10

/**
 * Returns the seconds that datasets wait, to scale workers by: the age of the oldest or the time until all waiting ones are settled, whichever is longer.
 *
 * The age alone reacts late, because datasets have waited by then. The seconds to drain alone would react without need: in a quiet minute with one
 * dataset, or at the beginning of a burst, whose rate is not measured yet. So they are limited to ten times the age: after one second of waiting
 * the result is 10 s at most, after 3 s it may be 30 s.
 *
 * Datasets that wait to be processed again have no age: they alone start no worker.
 */
export const waitSecondsOf = ({
  oldestSeconds,
  secondsToDrain,
}: Pick<DrainTime, 'oldestSeconds' | 'secondsToDrain'>): number =>
  Math.max(
    oldestSeconds,
    Math.min(secondsToDrain ?? Number.POSITIVE_INFINITY, MAX_DRAIN_PER_AGE * oldestSeconds),
  )
