/** Why a process counts as stuck, and for how long there was no progress. */
export interface Stuck {
  readonly reason: string
  readonly seconds: number
}

/** Knows whether this process gets on with its work. */
export interface Progress {
  /** Does the work of a job, which is in hand meanwhile. */
  during<T>(work: () => Promise<T>): Promise<T>
  /** To be told again and again, whether work waits for any process; undefined where that cannot be seen. */
  look(waits: boolean | undefined): void
  /** Why this process is stuck, if it is. */
  findStuck(): Stuck | undefined
}

/**
 * Stuck is a process that has a job in hand for longer than `stuckMs`; or which saw work at every look for that long, and
 * ended no job.
 *
 * A job ends well or, as that of a poisoned dataset does again and again, by an error. Not so where `isBrokenOff` says
 * that the error tells of a store, which makes every job fail: that is no progress.
 *
 * @param now milliseconds of a clock that never goes back.
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
  const begunAt = new Map<symbol, number>()
  let waitsSince: number | undefined

  return {
    async during(work) {
      const job = Symbol()
      begunAt.set(job, now())
      try {
        const result = await work()
        waitsSince = undefined
        return result
      } catch (error) {
        if (!isBrokenOff(error)) waitsSince = undefined
        throw error
      } finally {
        begunAt.delete(job)
      }
    },

    look(waits) {
      if (waits === undefined || (!waits && begunAt.size === 0)) waitsSince = undefined
      else waitsSince ??= now()
    },

    findStuck() {
      const [oldest = now()] = begunAt.values() // a map keeps the order in which they began
      const inHandMs = now() - oldest
      const waitsMs = now() - (waitsSince ?? now())
      const seconds = Math.round(Math.max(inHandMs, waitsMs) / 1_000)
      if (inHandMs > stuckMs) return { reason: 'a job is in hand and does not end', seconds }
      if (waitsMs > stuckMs) return { reason: 'work waits and no job ends', seconds }
      return undefined
    },
  }
}
