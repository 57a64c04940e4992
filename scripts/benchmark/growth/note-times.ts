import { percentileOf, type Samples } from '../samples.ts'

/** Adds the 50th and 99th percentile of times in milliseconds; a single time is no percentile. */
export function noteTimes(samples: Samples, name: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  samples.add(`${name}: p50Ms`, percentileOf(sorted, 0.5))
  if (times.length > 1) samples.add(`${name}: p99Ms`, percentileOf(sorted, 0.99))
}
