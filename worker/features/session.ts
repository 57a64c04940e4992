import type { CaptureInput, Extracted } from './extractor.ts'
import { inUnits, SECOND_MS } from './instants.ts'

/** The recorded session as a whole. */
export function extractSession({
  capture: { behaviour },
}: CaptureInput): Extracted<'behaviour_duration_s' | 'behaviour_hidden_count'> {
  let hidden = 0
  for (const event of behaviour?.events ?? [])
    if (event.type === 'visibility' && event.phase === 'hidden') hidden++

  return {
    behaviour_duration_s: inUnits(SECOND_MS, behaviour?.durationMs),
    behaviour_hidden_count: behaviour ? hidden : undefined,
  }
}
