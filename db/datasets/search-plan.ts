import { type Db, queryRows, sixDigits } from '../postgres/database.ts'
import { type DatasetRecord, RECORD } from './dataset-records.ts'

/** A dataset as a place in a search: further on is older or, where reference numbers are walked, behind it. */
export interface Place {
  readonly id: number
  readonly referenceNumber: string
  readonly uploadedAt: string
  readonly clientId: string | null
  readonly deviceId: string | null
}

/** A search that has begun: its legs one after the other. */
export interface Walk {
  /** Whether the newest datasets come first; otherwise the order is that of identifiers. */
  readonly isNewestFirst: boolean
  readonly legs: readonly Leg[]
}

/** A part of a search that walks one index, from where to where, and what is asked of each row on the way. */
export interface Leg {
  /** What the index finds. */
  readonly along: readonly Condition[]
  /** What is looked at in each row. */
  readonly filter: readonly Condition[]
  /** The order of the index, and its reverse. */
  readonly order: { readonly forth: string; readonly back: string }
  /** Whether the leg comes by this dataset; the first such leg is the one that finds it. */
  readonly holds: (place: Place) => boolean
  /** The rows of the index after this dataset. */
  readonly behind: (place: Place) => Condition
}

/** A part of a statement's `where`, with its values. */
export interface Condition {
  readonly sql: string
  readonly bindings: readonly unknown[]
}

const all = (conditions: readonly Condition[]): Condition => ({
  sql: conditions.map(({ sql }) => sql).join(' and '),
  bindings: conditions.flatMap(({ bindings }) => bindings),
})

/** When the oldest dataset on the way was uploaded; undefined where there is none, or another order than that of time. */
export async function findOldestUpload(
  db: Db,
  { legs: [leg], isNewestFirst }: Walk,
): Promise<string | undefined> {
  if (!isNewestFirst || !leg) return undefined
  const along = all(leg.along)
  const [oldest] = await queryRows<{ uploadedAt: string }>(
    db,
    `select ${sixDigits('d.uploaded_at')} as "uploadedAt" from datasets d where ${along.sql} order by d.id limit 1`,
    along.bindings,
  )
  return oldest?.uploadedAt
}

/** A part of a search. */
export interface WalkStep {
  /** What was found, in the order of the walk. */
  readonly records: readonly DatasetRecord[]
  /** The last dataset that was looked at; undefined where there was none. */
  readonly through: Place | undefined
  readonly hasMore: boolean
}

/**
 * Goes on with a search behind `after`: looks at up to `rows` datasets and gives up to `limit` of them, in one statement for each
 * leg that is entered, whose cost depends on those numbers alone.
 */
export async function walkOn(
  db: Db,
  { legs }: Walk,
  { after, rows, limit }: { after: Place | undefined; rows: number; limit: number },
): Promise<WalkStep> {
  const records: DatasetRecord[] = []
  let from = after
  let through: Place | undefined
  let looked = 0
  const begun = after ? legs.findIndex((leg) => leg.holds(after)) : 0
  for (const leg of begun < 0 ? [] : legs.slice(begun)) {
    if (looked === rows || (records.length === limit && looked > 0))
      return { records, through, hasMore: true }
    const step = await walkLeg(db, leg, {
      after: from,
      rows: rows - looked,
      limit: limit - records.length,
    })
    records.push(...step.records)
    looked += step.looked
    through = step.through ?? through
    from = undefined
    if (step.hasMore) return { records, through, hasMore: true }
  }
  return { records, through, hasMore: false }
}

async function walkLeg(
  db: Db,
  leg: Leg,
  { after, rows, limit }: { after: Place | undefined; rows: number; limit: number },
): Promise<WalkStep & { looked: number }> {
  const { forth, back } = leg.order
  const from = all(after ? [...leg.along, leg.behind(after)] : leg.along)
  const filter = all(leg.filter)
  const found = await alongIndex<DatasetRecord & Place & { looked: number; lookedThrough: Place | null }>(
    db,
    `with looked as materialized (
       select d.subscription_id, d.id, d.reference_number, d.status, d.platform, d.uploaded_at, d.settled_at, d.ring_at,
              d.device_id, d.additional_info, d.invalid_code, d.invalid_detail
       from datasets d where ${from.sql} order by ${forth} limit ?
     ), found as (
       select * from looked d ${leg.filter.length > 0 ? `where ${filter.sql}` : ''} order by ${forth} limit ?
     )
     select ends.*, d.id, ${RECORD}
     from (select count(*)::int as looked,
                  (select jsonb_build_object('id', id, 'referenceNumber', reference_number,
                                             'uploadedAt', ${sixDigits('uploaded_at')},
                                             'clientId', additional_info ->> 'clientId', 'deviceId', device_id)
                   from looked d order by ${back} limit 1) as "lookedThrough"
           from looked) ends
     left join found d on true
     left join lateral (
       select i.scores from insights i where i.subscription_id = d.subscription_id and i.dataset_id = d.id limit 1
     ) i on true
     order by ${forth}`,
    [...from.bindings, rows, ...filter.bindings, limit],
  )
  const [{ looked = 0, lookedThrough = null } = {}] = found
  const records = found.filter(({ id }) => id !== null)
  const last = records.length === limit ? records.at(-1) : undefined
  const cut = last && last.id !== lookedThrough?.id
  return {
    looked,
    records: records.map(({ id, looked, lookedThrough, ...record }) => record),
    through: cut ? placeOf(last) : (lookedThrough ?? undefined),
    hasMore: cut || looked === rows,
  }
}

const placeOf = ({ id, referenceNumber, uploadedAt, clientId, deviceId }: Place): Place => ({
  ...{ id, referenceNumber, uploadedAt, clientId, deviceId },
})

/**
 * Rows of a statement that walks an index and stops when it has enough. Where Postgres expects few rows, it would rather fetch them
 * all and sort them; statistics that are a day old would then make it fetch millions.
 */
function alongIndex<Row>(db: Db, sql: string, bindings: readonly unknown[]): Promise<Row[]> {
  return db.transaction(async (trx) => {
    const [, rows] = await Promise.all([
      queryRows(trx, 'set local enable_bitmapscan = off'),
      queryRows<Row>(trx, sql, bindings),
    ])
    return rows
  })
}
