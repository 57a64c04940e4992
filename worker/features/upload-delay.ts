import type { CaptureInput, Extracted } from './extractor.ts'
import { parseTimestamp, SECOND_MS } from './timestamps.ts'

/** Seconds from the capture (device clock) to the upload (server clock). Undefined if the device's clock was never set. */
export function extractUploadDelay({ capture, uploadedAt }: CaptureInput): Extracted<'time_upload_delay_s'> {
  const collected = parseTimestamp(capture.collectedAt)
  return {
    time_upload_delay_s: collected === undefined ? undefined : (uploadedAt.getTime() - collected) / SECOND_MS,
  }
}
