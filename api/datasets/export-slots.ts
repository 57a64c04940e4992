import { Problem } from '../http/problem.ts'

/** Exports at once in this process: of a subscription, and of all, so that uploads and reads keep most connections to Postgres. */
const MAX_CONCURRENT = { ofOne: 2, ofAll: 4 }

/** Lets a few exports run at once. */
export interface ExportSlots {
  /** Takes a slot; call what it returns when the export is over. @throws Problem `rate_limited` when there is none. */
  take(subscriptionId: number): () => void
}

export function openExportSlots(): ExportSlots {
  const taken = new Map<number, number>()
  let all = 0

  return {
    take(subscriptionId) {
      const own = taken.get(subscriptionId) ?? 0
      if (own >= MAX_CONCURRENT.ofOne || all >= MAX_CONCURRENT.ofAll)
        throw new Problem('rate_limited', {
          detail: `${MAX_CONCURRENT.ofOne} exports of your subscription can run at once, and a few of all; try again when one is done`,
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
