import { LRUCache } from 'lru-cache'
import { atMost } from '../http/at-most.ts'

/** Recent uploads below which a subscription keeps the first priority. */
const LIGHT_USE = 128

/** Half-life of the count of recent uploads. */
const HALF_LIFE_MS = 5_000

/** Last priority: about a million recent uploads. The queue supports more. */
export const LOWEST_PRIORITY = 13

const MAX_TRACKED = 10_000

/** Assigns queue priorities to subscriptions by their recent uploads. */
export interface UploadPriority {
  /**
   * Counts datasets that were just received and returns the priority of their job: 0 is processed first, and each
   * further one stands for twice as many recent uploads.
   */
  priorityOf(subscriptionId: number, datasets: number): number
}

/** Prioritises subscriptions with few recent uploads, so that a burst of one subscription delays only its own datasets. */
export function openUploadPriority(now: () => number = () => performance.now()): UploadPriority {
  const recent = new LRUCache<number, { datasets: number; at: number }>(atMost(MAX_TRACKED))
  return {
    priorityOf(subscriptionId, datasets) {
      const last = recent.get(subscriptionId)
      const at = now()
      const decayed = last ? last.datasets * 2 ** ((last.at - at) / HALF_LIFE_MS) : 0
      recent.set(subscriptionId, { datasets: decayed + datasets, at })
      return Math.min(LOWEST_PRIORITY, Math.max(0, Math.ceil(Math.log2((decayed + datasets) / LIGHT_USE))))
    },
  }
}
