import type { Extracted, SessionInput } from './extractor.ts'
import { share } from './statistics.ts'

const FILLS: ReadonlySet<string> = new Set(['key', 'input', 'change', 'paste', 'drop'])

/**
 * Events that a script made, and fields that the browser filled.
 *
 * Undefined without `activeMs`: other SDKs do not report `trusted` and `auto`.
 */
export function extractAuthenticity({
  capture: { behaviour },
  events,
}: SessionInput): Extracted<'behaviour_untrusted_share' | 'behaviour_autofill_share'> {
  if (!events || behaviour?.activeMs == null)
    return { behaviour_untrusted_share: undefined, behaviour_autofill_share: undefined }

  const filled = new Set<string>()
  const auto = new Set<string>()
  for (const event of events.formEvents) {
    if (event.target == null || !FILLS.has(event.type)) continue
    filled.add(event.target)
    if (event.auto) auto.add(event.target)
  }
  return {
    behaviour_untrusted_share: share(
      events.actions.filter(({ trusted }) => trusted === false).length,
      events.actions.length,
    ),
    behaviour_autofill_share: share(auto.size, filled.size),
  }
}
