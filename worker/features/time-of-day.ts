import type { CaptureInput, Extracted } from './extractor.ts'
import { parseInstant } from './instants.ts'
import { findTimeZone } from './time-zones.ts'

/** The device's clock at the capture; undefined without a known time zone, as offsets of instants are often just Z. */
export function extractTimeOfDay({ capture }: CaptureInput): Extracted<'time_hour_local' | 'time_weekend'> {
  const clock = findTimeZone(capture.device?.timeZone)?.clock
  const collected = parseInstant(capture.collectedAt)
  const parts = clock && collected !== undefined ? clock.formatToParts(collected) : []
  const hour = parts.find(({ type }) => type === 'hour')?.value
  const weekday = parts.find(({ type }) => type === 'weekday')?.value
  return {
    time_hour_local: hour === undefined ? undefined : Number(hour),
    time_weekend: weekday === undefined ? undefined : weekday === 'Sat' || weekday === 'Sun',
  }
}
