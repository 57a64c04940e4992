/** Steps from one power of ten to the next: each is 12 % longer than the one before, so that a figure is 6 % off at most. */
const BUCKETS_PER_DECADE = 20

/** On the scale, 1 ms is step 0; what is shorter counts as that. */
export const latencyBucketOf = (ms: number): number =>
  Math.floor(Math.log10(Math.max(ms, 1)) * BUCKETS_PER_DECADE)

/** The middle of a step, in whole milliseconds. */
const middleMsOf = (step: number) => Math.round(10 ** ((step + 0.5) / BUCKETS_PER_DECADE))

/**
 * The latency that a share of the datasets did not exceed, in milliseconds.
 *
 * @param latencies step to datasets.
 * @param share 0 to 1.
 * @returns null where there are no datasets.
 */
export function latencyQuantile(latencies: ReadonlyMap<number, number>, share: number): number | null {
  let left = Math.ceil(latencies.values().reduce((sum, datasets) => sum + datasets, 0) * share)
  if (left === 0) return null
  for (const [step, datasets] of [...latencies].sort(([a], [b]) => a - b)) {
    left -= datasets
    if (left <= 0) return middleMsOf(step)
  }
  return null
}
