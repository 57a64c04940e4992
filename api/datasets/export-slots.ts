import { Problem } from '../http/problem.ts'

/** Maximum concurrent exports in this process, so that uploads and reads keep most Postgres connections. */
const MAX_CONCURRENT = { perSubscription: 2, perProcess: 4 }

/** Limits concurrent exports. */
export interface ExportSlots {
  /** Takes a slot. @returns a function that releases it. @throws Problem `rate_limited` when none is free. */
  take(subscriptionId: number): () => void
}

export function openExportSlots(): ExportSlots {
  const taken = new Map<number, number>()
  let all = 0

  return {
    take(subscriptionId) {
      const own = taken.get(subscriptionId) ?? 0
      if (own >= MAX_CONCURRENT.perSubscription || all >= MAX_CONCURRENT.perProcess)
        throw new Problem('rate_limited', {
          detail: `${MAX_CONCURRENT.perSubscription} exports per subscription and ${MAX_CONCURRENT.perProcess} in total can run at once; try again when one has finished`,
          retryAfterSeconds: 10,
        })
      taken.set(subscriptionId, own + 1)
      all++
      let held = true
      return () => {
        if (!held) return
        held = false
        all--
        const left = (taken.get(subscriptionId) ?? 1) - 1
        if (left === 0) taken.delete(subscriptionId)
        else taken.set(subscriptionId, left)
      }
    },
  }
}
