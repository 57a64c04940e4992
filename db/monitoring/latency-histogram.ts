/** Each bucket is 12 % wider than the one before, so that a quantile is off by 6 % at most. */
const BUCKETS_PER_DECADE = 20

/** Returns the bucket of a latency; 1 ms and less is bucket 0. */
export const latencyBucketOf = (ms: number): number =>
  Math.floor(Math.log10(Math.max(ms, 1)) * BUCKETS_PER_DECADE)

/** The middle of a bucket, in whole milliseconds. */
const middleMsOf = (bucket: number) => Math.round(10 ** ((bucket + 0.5) / BUCKETS_PER_DECADE))

/**
 * Returns the latency that a share of the datasets did not exceed, in milliseconds.
 *
 * @param latencies bucket to datasets.
 * @param share 0 to 1.
 * @returns null if there are no datasets.
 */
export function latencyQuantile(latencies: ReadonlyMap<number, number>, share: number): number | null {
  let left = Math.ceil(latencies.values().reduce((sum, datasets) => sum + datasets, 0) * share)
  if (left === 0) return null
  for (const [bucket, datasets] of [...latencies].sort(([a], [b]) => a - b)) {
    left -= datasets
    if (left <= 0) return middleMsOf(bucket)
  }
  return null
}
