import type { DrainTime } from '../../db/monitoring/drain-time.ts'

/** Without a measured rate, the drain counts as this many times the age. */
const MAX_DRAIN_PER_AGE = 10

/**
 * Returns the seconds that datasets wait, to scale workers by: the age of the oldest or the time until all that wait are settled, whichever is longer.
 *
 * The age alone reacts late, because datasets have waited by then. The seconds to drain alone react to nothing: of a quiet minute with one dataset,
 * or at the beginning of a burst, whose rate is not measured yet. So they count up to ten times the age: a burst of a second is 10 s at most,
 * and one that has waited for 3 s may be 30.
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
