import type { CaptureInput, Extracted } from './extractor.ts'

export function extractCalendar({ capture }: CaptureInput): Extracted<'calendar_events_count'> {
  return { calendar_events_count: capture.calendar?.events }
}
