import type { CaptureInput, Extracted } from './extractor.ts'
import { findTimeZone } from './time-zones.ts'
import { parseTimestamp } from './timestamps.ts'

/** Local time of the capture; undefined without a known time zone, as the offset of timestamps is often just Z. */
export function extractTimeOfDay({ capture }: CaptureInput): Extracted<'time_hour_local' | 'time_weekend'> {
  const clock = findTimeZone(capture.device?.timeZone)?.clock
  const collected = parseTimestamp(capture.collectedAt)
  const parts = clock && collected !== undefined ? clock.formatToParts(collected) : []
  const hour = parts.find(({ type }) => type === 'hour')?.value
  const weekday = parts.find(({ type }) => type === 'weekday')?.value
  return {
    time_hour_local: hour === undefined ? undefined : Number(hour),
    time_weekend: weekday === undefined ? undefined : weekday === 'Sat' || weekday === 'Sun',
  }
}
