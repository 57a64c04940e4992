import type { Extracted, SessionInput } from './extractor.ts'
import { inUnits, SECOND_MS } from './instants.ts'

/** The recorded session as a whole. */
export function extractSession({
  capture: { behaviour },
  events,
}: SessionInput): Extracted<'behaviour_duration_s' | 'behaviour_hidden_count'> {
  return {
    behaviour_duration_s: inUnits(SECOND_MS, behaviour?.durationMs),
    behaviour_hidden_count: events?.visibility.filter(({ phase }) => phase === 'hidden').length,
  }
}
