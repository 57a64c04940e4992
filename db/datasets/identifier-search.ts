import { join, raw, type Sql, sql } from '../postgres/sql.ts'
import type { Cursor, IndexScan } from './search-plan.ts'

/** Characters of an identifier that are compared; the indexes of migration 0013 contain as many. */
const SEARCHED_CHARACTERS = 100

/** An identifier of `datasets d`, and the expressions of its index. */
interface IndexedIdentifier {
  readonly key: string
  readonly isKnown: string
  readonly of: (cursor: Cursor) => string | null
}

/** Identifiers that several datasets may have. */
const SHARED = {
  client: {
    key: `lower(left(d.additional_info ->> 'clientId', ${SEARCHED_CHARACTERS}) collate "C")`,
    isKnown: `d.additional_info ->> 'clientId' is not null`,
    of: ({ clientId }) => clientId,
  },
  device: {
    key: `lower(left(d.device_id, ${SEARCHED_CHARACTERS}) collate "C")`,
    isKnown: 'd.device_id is not null',
    of: ({ deviceId }) => deviceId,
  },
} as const satisfies Record<string, IndexedIdentifier>

/** The identifiers that a term is searched in, in the order of the results; each has its own index. */
const IDENTIFIERS: readonly IndexedIdentifier[] = [
  {
    key: `lower(d.reference_number collate "C")`,
    isKnown: 'true',
    of: ({ referenceNumber }) => referenceNumber,
  },
  SHARED.client,
  SHARED.device,
]

/**
 * The condition that the index answers for datasets with exactly this identifier. It includes those whose identifier differs in case, or after
 * 100 characters: compare the identifiers too. The index has their ids negated, so an order is one of `-d.id`.
 */
export function mayHaveIdentifier(kind: keyof typeof SHARED, identifier: string): Sql {
  const { key, isKnown } = SHARED[kind]
  return sql`${raw(isKnown)} and ${raw(key)} = ${keyOf(identifier)}`
}

/**
 * Returns the index scans for identifiers that begin with a term, in either case of A to Z: first reference numbers, then
 * clients, then devices. Each is ordered by the identifier, and newest first among equals. A dataset is found by the first scan
 * that contains it.
 *
 * @param indexConditions of all scans.
 * @param filter of all scans.
 */
export function identifierScans(
  term: string,
  indexConditions: readonly Sql[],
  filter: readonly Sql[],
): IndexScan[] {
  const searched = keyOf(term)
  return IDENTIFIERS.map(({ key, isKnown, of }, at) => ({
    indexConditions: [...indexConditions, sql`${raw(isKnown)} and ${raw(key)} ^@ ${searched}`],
    filter: [
      ...filter,
      ...IDENTIFIERS.slice(0, at).map((earlier) => sql`(${raw(earlier.key)} ^@ ${searched}) is not true`),
    ],
    order: { forward: `${key}, (-d.id)`, backward: `${key} desc, (-d.id) desc` },
    contains: (cursor) => keyOf(of(cursor) ?? '').startsWith(searched),
    after: (cursor) => sql`(${raw(key)}, (-d.id)) > (${keyOf(of(cursor) ?? '')}, ${-cursor.id})`,
  }))
}

/** The condition that some identifier of a dataset begins with a term, for a search that scans another index. */
export const hasIdentifier = (term: string): Sql =>
  sql`(${join(
    IDENTIFIERS.map(({ key }) => sql`coalesce(${raw(key)} ^@ ${keyOf(term)}, false)`),
    ' or ',
  )})`

/** An identifier as the indexes contain it: `lower` of the C collation changes A to Z only. */
const keyOf = (identifier: string): string =>
  [...identifier]
    .slice(0, SEARCHED_CHARACTERS)
    .join('')
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
