import type { CaptureInput, Extracted } from './extractor.ts'

/** Accounts on the device. Types with 0 accounts are not counted. */
export function extractAccounts({
  capture: { accounts },
}: CaptureInput): Extracted<'accounts_count' | 'accounts_types_count'> {
  const byType = accounts?.byType
  return {
    accounts_count: accounts?.count,
    accounts_types_count: byType ? Object.values(byType).filter((count) => count > 0).length : undefined,
  }
}
