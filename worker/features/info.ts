import type { ClaimInput, Extracted } from './extractor.ts'

/** Saved Additional Info. An empty clientId counts as unknown. */
export function extractInfo({
  additionalInfo,
}: ClaimInput): Extracted<'info_keys_count' | 'info_client_known'> {
  return {
    info_keys_count: Object.keys(additionalInfo).length,
    info_client_known: Boolean(additionalInfo.clientId),
  }
}
