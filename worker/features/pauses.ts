import type { Extracted, SessionInput } from './extractor.ts'
import { inUnits, SECOND_MS } from './instants.ts'
import { share } from './statistics.ts'

const PAUSE_MS = 3_000

/**
 * Pauses between one action and the next; before the first and after the last there is none.
 *
 * Undefined with fewer than two actions; the share also when the pauses are longer than the session says it was.
 */
export function extractPauses({
  capture: { behaviour },
  events,
}: SessionInput): Extracted<'behaviour_hesitation_share' | 'behaviour_longest_pause_s'> {
  let lastT: number | undefined
  let longestMs: number | undefined
  let pausedMs = 0
  for (const t of events?.actionTimes ?? []) {
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
