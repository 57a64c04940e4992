import type { CaptureInput, Extracted } from './extractor.ts'
import { parseInstant, SECOND_MS } from './instants.ts'

/** From the device's clock to the server's. Undefined when the device's was never set. */
export function extractUploadDelay({ capture, uploadedAt }: CaptureInput): Extracted<'time_upload_delay_s'> {
  const collected = parseInstant(capture.collectedAt)
  return {
    time_upload_delay_s: collected === undefined ? undefined : (uploadedAt.getTime() - collected) / SECOND_MS,
  }
}
