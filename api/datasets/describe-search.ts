import type { DatasetSearchQuery } from './dataset-search-schemas.ts'

/** Filters that name no person. */
const SHOWN = [
  'status',
  'platform',
  'since',
  'until',
  'scoreCode',
  'scoreFrom',
  'scoreTo',
  'invalidCode',
] as const

/**
 * Describes a search for the audit log: its filters, of identifiers only their names. The audit log is kept for years, and the
 * identifiers of a person have to be erasable.
 */
export function describeSearch(query: DatasetSearchQuery): Record<string, unknown> {
  const by = (['search', 'referenceNumber', 'clientId', 'deviceId'] as const).filter(
    (name) => query[name] !== undefined,
  )
  return {
    ...Object.fromEntries(SHOWN.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]]))),
    ...(by.length > 0 && { by }),
  }
}
