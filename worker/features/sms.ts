import type { CaptureInput, Extracted } from './extractor.ts'
import { share } from './statistics.ts'
import { spanDays } from './timestamps.ts'

export function extractSms({
  capture: { collectedAt, sms },
}: CaptureInput): Extracted<'sms_received_count' | 'sms_sent_share' | 'sms_span_days'> {
  return {
    sms_received_count: sms?.received,
    sms_sent_share: sms ? share(sms.sent, sms.sent + sms.received) : undefined,
    sms_span_days: spanDays(sms, collectedAt),
  }
}
