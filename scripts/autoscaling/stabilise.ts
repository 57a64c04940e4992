/** Limits of a change of the number of workers. */
export interface ScalingLimits {
  readonly min: number
  readonly max: number
  /** For this long fewer workers have to be desired before one is stopped. */
  readonly holdMs: number
  /** Time between two that are stopped. */
  readonly stepMs: number
}

/**
 * Opens the limits that every rule has, which are those of an autoscaler of Kubernetes: more workers start at once; a worker is stopped when no
 * desire in the time of `holdMs` was higher, one at a time.
 *
 * @returns a function from the desired number of workers to the one to have, at ascending times in milliseconds.
 */
export function openStabiliser({ min, max, holdMs, stepMs }: ScalingLimits) {
  let target = min
  let desires = [{ at: 0, desired: min }]
  let stoppedAt = Number.NEGATIVE_INFINITY

  return (at: number, desire: number): number => {
    const desired = Math.min(max, Math.max(min, desire))
    desires = [...desires.filter((earlier) => earlier.at > at - holdMs), { at, desired }]
    const highest = Math.max(...desires.map((one) => one.desired))
    if (desired > target) target = desired
    else if (highest < target && at - stoppedAt >= stepMs) {
      target -= 1
      stoppedAt = at
    }
    return target
  }
}
