import { LRUCache } from 'lru-cache'
import { atMost } from '../http/at-most.ts'
import { Problem } from '../http/problem.ts'
import { beginDueWindow, openWindow, type RequestWindow } from '../http/request-window.ts'

const WINDOW_MS = 60_000

/** Keys counted at once, 100 bytes each; of more, the longest unused are forgotten, and count from 0 again. */
const MAX_KEYS = 50_000

/** Limits the requests of each key in a minute, in this process. */
export interface RateLimit {
  /** Counts a request. @throws Problem `rate_limited` beyond the limit, with the seconds until the minute ends. */
  take(key: string): void
}

/**
 * Opens a limit. Counts are in memory, of a bounded number of keys and without a timer, so that requests beyond the limit cost 1 µs
 * whatever they name; several web processes admit a multiple.
 */
export function openRateLimit(perMinute: number, now: () => number = () => performance.now()): RateLimit {
  const windows = new LRUCache<string, RequestWindow>(atMost(MAX_KEYS))
  const quota = { requests: perMinute, windowMs: WINDOW_MS }
  return {
    take(key) {
      const at = now()
      const known = windows.get(key)
      const window = known ?? openWindow()
      if (!known) windows.set(key, window)
      beginDueWindow(window, quota, at)
      if (window.used >= perMinute)
        throw new Problem('rate_limited', { retryAfterSeconds: Math.ceil((window.endsAt - at) / 1_000) })
      window.used++
    },
  }
}
