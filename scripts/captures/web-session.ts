import type { CaptureEvent } from '../../db/capture/event.ts'

/** Longer gaps between events do not count as use of the page. */
const IDLE_MS = 5_000

/** Time in which the page was visible and in use: gaps between events, of which at most 5 s count each. */
export function measureActive(events: readonly CaptureEvent[]): number {
  let activeMs = 0
  let last = 0
  let hidden = false
  for (const { t, type, phase } of events) {
    if (!hidden) activeMs += Math.min(t - last, IDLE_MS)
    if (type === 'visibility') hidden = phase === 'hidden'
    last = t
  }
  return activeMs
}
