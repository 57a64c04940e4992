import { LRUCache } from 'lru-cache'

/** Uploads of late that make nobody wait. */
const LIGHT_USE = 128

/** After so long, uploads count half. */
const HALF_LIFE_MS = 5_000

/** The queue holds more ranks; a subscription at this one has uploaded a million of late. */
export const MAX_RANK = 13

const MAX_TRACKED = 10_000

/** In which order subscriptions are worked for. */
export interface UploadPriority {
  /**
   * Counts datasets that were just received, and gives the rank at which to work on them: 0 goes first, and each
   * rank above it is for twice as many uploads of late.
   */
  rankOf(subscriptionId: number, datasets: number): number
}

/** Puts those who upload little before those who upload much, so that a flood of one delays only its own. */
export function openUploadPriority(now: () => number = () => performance.now()): UploadPriority {
  const recent = new LRUCache<number, { datasets: number; at: number }>({ max: MAX_TRACKED })
  return {
    rankOf(subscriptionId, datasets) {
      const before = recent.get(subscriptionId)
      const at = now()
      const kept = before ? before.datasets * 2 ** ((before.at - at) / HALF_LIFE_MS) : 0
      recent.set(subscriptionId, { datasets: kept + datasets, at })
      return Math.min(MAX_RANK, Math.max(0, Math.ceil(Math.log2((kept + datasets) / LIGHT_USE))))
    },
  }
}
