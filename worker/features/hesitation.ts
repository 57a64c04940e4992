import type { Extracted, SessionInput } from './extractor.ts'
import { share } from './statistics.ts'
import { inUnits, SECOND_MS } from './timestamps.ts'

const PAUSE_MS = 3_000

/**
 * Pauses between consecutive user actions; time before the first and after the last does not count.
 *
 * Undefined with fewer than two actions; the share also if the pauses exceed the session's duration.
 */
export function extractHesitation({
  capture: { behaviour },
  events,
}: SessionInput): Extracted<'behaviour_hesitation_share' | 'behaviour_longest_pause_s'> {
  let lastT: number | undefined
  let longestMs: number | undefined
  let pausedMs = 0
  for (const { t } of events?.actions ?? []) {
    if (lastT !== undefined) {
      const gap = t - lastT
      longestMs = Math.max(longestMs ?? 0, gap)
      if (gap > PAUSE_MS) pausedMs += gap
    }
    lastT = t
  }

  return {
    behaviour_hesitation_share: longestMs === undefined ? undefined : share(pausedMs, behaviour?.durationMs),
    behaviour_longest_pause_s: inUnits(SECOND_MS, longestMs),
  }
}
