import type { Samples } from '../samples.ts'

/** Adds the 50th and 99th percentile of times in milliseconds, by nearest rank; a single time is no percentile. */
export function noteTimes(samples: Samples, name: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const percentile = (share: number) =>
    sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
  samples.add(`${name}: p50Ms`, percentile(0.5))
  if (times.length > 1) samples.add(`${name}: p99Ms`, percentile(0.99))
}
