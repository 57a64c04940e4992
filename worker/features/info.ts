import type { ClaimInput, Extracted } from './extractor.ts'

/** The saved Additional Info; an empty clientId names nobody. */
export function extractInfo({
  additionalInfo,
}: ClaimInput): Extracted<'info_keys_count' | 'info_client_known'> {
  return {
    info_keys_count: Object.keys(additionalInfo).length,
    info_client_known: Boolean(additionalInfo.clientId),
  }
}
