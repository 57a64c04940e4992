import type { CaptureInput, Extracted } from './extractor.ts'
import { parseCategory } from './parse-text.ts'

/** How the capture was collected from a browser, and the legal basis. Consent without a basis needs a time. */
export function extractCollection({
  capture: { collection, consent },
}: CaptureInput): Extracted<
  'web_collection_level' | 'web_collection_complete' | 'web_segments_missing_count' | 'web_consent_given'
> {
  const ended = parseCategory(collection?.ended)
  const basis = parseCategory(consent?.basis)
  const agreed = consent?.at == null ? undefined : true
  return {
    web_collection_level: parseCategory(collection?.level),
    web_collection_complete: ended === undefined ? undefined : ended === 'complete',
    web_segments_missing_count: collection?.missing ?? undefined,
    web_consent_given: basis === undefined ? agreed : basis === 'consent',
  }
}
