import type { Extracted, SessionInput } from './extractor.ts'
import { inUnits, SECOND_MS } from './timestamps.ts'

/** Duration of the recorded session, and how often it was hidden. */
export function extractSession({
  capture: { behaviour },
  events,
}: SessionInput): Extracted<'behaviour_duration_s' | 'behaviour_hidden_count'> {
  return {
    behaviour_duration_s: inUnits(SECOND_MS, behaviour?.durationMs),
    behaviour_hidden_count: events?.visibility.filter(({ phase }) => phase === 'hidden').length,
  }
}
