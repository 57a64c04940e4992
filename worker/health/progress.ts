/** Reason why a process counts as stuck, and time without progress. */
export interface Stuck {
  readonly reason: string
  readonly seconds: number
}

/** Tracks whether this process makes progress. */
export interface Progress {
  /** Runs a job, which counts as in flight until it ends. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** Records a regular check whether work waits for any process; undefined if the check failed. */
  observe(waits: boolean | undefined): void
  /** Returns why this process is stuck, or undefined if it is not. */
  findStuck(): Stuck | undefined
}

/**
 * A process is stuck if a job has been in flight for longer than `stuckMs`, or if every check for that long found
 * waiting work and no job ended.
 *
 * A job that fails also counts as progress: that of a poisoned dataset fails repeatedly. The exception is an error for
 * which `isBrokenOff` returns true, such as an unavailable store, because it makes every job fail.
 *
 * @param now milliseconds of a monotonic clock.
 */
export function openProgress({
  stuckMs,
  isBrokenOff,
  now = () => performance.now(),
}: {
  stuckMs: number
  isBrokenOff: (error: unknown) => boolean
  now?: () => number
}): Progress {
  const startedAt = new Map<symbol, number>()
  let waitsSince: number | undefined

  return {
    async during(work) {
      const job = Symbol()
      startedAt.set(job, now())
      try {
        const result = await work()
        waitsSince = undefined
        return result
      } catch (error) {
        if (!isBrokenOff(error)) waitsSince = undefined
        throw error
      } finally {
        startedAt.delete(job)
      }
    },

    observe(waits) {
      if (waits === undefined || (!waits && startedAt.size === 0)) waitsSince = undefined
      else waitsSince ??= now()
    },

    findStuck() {
      const [oldest = now()] = startedAt.values() // a map keeps insertion order
      const inFlightMs = now() - oldest
      const waitsMs = now() - (waitsSince ?? now())
      const seconds = Math.round(Math.max(inFlightMs, waitsMs) / 1_000)
      if (inFlightMs > stuckMs) return { reason: 'a job has been in flight for too long', seconds }
      if (waitsMs > stuckMs) return { reason: 'work waits and no job ends', seconds }
      return undefined
    },
  }
}
