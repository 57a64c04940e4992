import type { Condition, Leg, Place } from './search-plan.ts'

/** Characters of an identifier that are compared; the indexes of migration 0013 hold as many. */
const SEARCHED_CHARACTERS = 100

/** The identifiers that a term is looked for in, in the order in which their datasets are found; each with its own index. */
const IDENTIFIERS: readonly { sql: string; isKnown: string; of: (place: Place) => string | null }[] = [
  {
    sql: `lower(d.reference_number collate "C")`,
    isKnown: 'true',
    of: ({ referenceNumber }) => referenceNumber,
  },
  {
    sql: `lower(left(d.additional_info ->> 'clientId', ${SEARCHED_CHARACTERS}) collate "C")`,
    isKnown: `d.additional_info ->> 'clientId' is not null`,
    of: ({ clientId }) => clientId,
  },
  {
    sql: `lower(left(d.device_id, ${SEARCHED_CHARACTERS}) collate "C")`,
    isKnown: 'd.device_id is not null',
    of: ({ deviceId }) => deviceId,
  },
]

/**
 * The legs of a search for identifiers that begin with a term, in either case of A to Z: first the reference numbers, then the
 * clients, then the devices, each in the order of the identifiers, and the newest first among equals. A dataset is found by
 * the first leg that it belongs to.
 *
 * @param along of all legs.
 * @param filter of all legs.
 */
export function identifierLegs(
  term: string,
  along: readonly Condition[],
  filter: readonly Condition[],
): Leg[] {
  const wanted = keyOf(term)
  return IDENTIFIERS.map(({ sql, isKnown, of }, at) => ({
    along: [...along, { sql: `${isKnown} and ${sql} ^@ ?`, bindings: [wanted] }],
    filter: [...filter, ...IDENTIFIERS.slice(0, at).map((earlier) => isNotFoundBy(earlier.sql, wanted))],
    order: { forth: `${sql}, (-d.id)`, back: `${sql} desc, (-d.id) desc` },
    holds: (place) => keyOf(of(place) ?? '').startsWith(wanted),
    behind: (place) => ({ sql: `(${sql}, (-d.id)) > (?, ?)`, bindings: [keyOf(of(place) ?? ''), -place.id] }),
  }))
}

/** Whether an identifier of a dataset begins with a term, where another index leads the search. */
export const hasIdentifier = (term: string): Condition => ({
  sql: `(${IDENTIFIERS.map(({ sql }) => `coalesce(${sql} ^@ ?, false)`).join(' or ')})`,
  bindings: IDENTIFIERS.map(() => keyOf(term)),
})

const isNotFoundBy = (sql: string, wanted: string): Condition => ({
  sql: `(${sql} ^@ ?) is not true`,
  bindings: [wanted],
})

/** What the indexes hold of an identifier: `lower` of the C collation changes A to Z only. */
const keyOf = (identifier: string): string =>
  [...identifier]
    .slice(0, SEARCHED_CHARACTERS)
    .join('')
    .replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
