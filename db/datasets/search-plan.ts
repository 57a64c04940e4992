import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { join, raw, type Sql, sql } from '../postgres/sql.ts'
import { type DatasetRecord, RECORD_COLUMNS } from './dataset-records.ts'

/** The dataset after which a search continues. */
export interface Cursor {
  readonly id: number
  readonly referenceNumber: string
  readonly uploadedAt: string
  readonly clientId: string | null
  readonly deviceId: string | null
}

/** The index scans of a search, in the order of their results. */
export interface SearchPlan {
  /** Whether the newest datasets come first; otherwise identifiers give the order. */
  readonly isNewestFirst: boolean
  readonly scans: readonly IndexScan[]
}

/** A range of one index, and a filter for the rows in it. */
export interface IndexScan {
  /** Conditions that the index answers. */
  readonly indexConditions: readonly Sql[]
  /** Conditions that are checked for each row. */
  readonly filter: readonly Sql[]
  /** The order of the index, and its reverse. */
  readonly order: { readonly forward: string; readonly backward: string }
  /** Whether the range contains this dataset; the first such scan is the one that finds it. */
  readonly contains: (cursor: Cursor) => boolean
  /** The condition for the rows of the index after this dataset. */
  readonly after: (cursor: Cursor) => Sql
}

const allOf = (conditions: readonly Sql[]): Sql => join(conditions, ' and ')

/** Returns when the oldest dataset in the index range was uploaded; undefined if there is none, or the order is not that of time. */
export async function findOldestUpload(
  db: Db,
  { scans: [scan], isNewestFirst }: SearchPlan,
): Promise<string | undefined> {
  if (!isNewestFirst || !scan) return undefined
  const [oldest] = await queryRows<{ uploadedAt: string }>(
    db,
    sql`select ${utcText('d.uploaded_at')} as "uploadedAt" from datasets d
        where ${allOf(scan.indexConditions)} order by ${raw(scan.order.backward)} limit 1`,
  )
  return oldest?.uploadedAt
}

/** The next results of a search. */
export interface SearchPage {
  readonly records: readonly DatasetRecord[]
  /** The last dataset scanned; undefined if there was none. */
  readonly cursor: Cursor | undefined
  readonly hasMore: boolean
}

/**
 * Continues a search after a cursor: scans up to `rows` datasets and returns up to `limit` of them, with one statement for each
 * index scan that it reaches. The cost depends on these two numbers alone.
 */
export async function scanNext(
  db: Db,
  { scans }: SearchPlan,
  { after, rows, limit }: { after: Cursor | undefined; rows: number; limit: number },
): Promise<SearchPage> {
  const records: DatasetRecord[] = []
  let startAfter = after
  let cursor: Cursor | undefined
  let scanned = 0
  const first = after ? scans.findIndex((scan) => scan.contains(after)) : 0
  for (const scan of first < 0 ? [] : scans.slice(first)) {
    if (scanned === rows || (records.length === limit && scanned > 0))
      return { records, cursor, hasMore: true }
    const page = await scanIndex(db, scan, {
      after: startAfter,
      rows: rows - scanned,
      limit: limit - records.length,
    })
    records.push(...page.records)
    scanned += page.scanned
    cursor = page.cursor ?? cursor
    startAfter = undefined
    if (page.hasMore) return { records, cursor, hasMore: true }
  }
  return { records, cursor, hasMore: false }
}

async function scanIndex(
  db: Db,
  scan: IndexScan,
  { after, rows, limit }: { after: Cursor | undefined; rows: number; limit: number },
): Promise<SearchPage & { scanned: number }> {
  const range = allOf(after ? [...scan.indexConditions, scan.after(after)] : scan.indexConditions)
  const filter = allOf([raw('true'), ...scan.filter])
  const [forward, backward] = [raw(scan.order.forward), raw(scan.order.backward)]
  const found = await queryByIndex<DatasetRecord & Cursor & { scanned: number; lastScanned: Cursor | null }>(
    db,
    sql`with scanned as materialized (
          select d.subscription_id, d.id, d.reference_number, d.status, d.platform, d.uploaded_at, d.settled_at,
                 d.ring_at, d.device_id, d.additional_info, d.invalid_code, d.invalid_detail
          from datasets d where ${range} order by ${forward} limit ${rows}
        ), found as (
          select * from scanned d where ${filter} order by ${forward} limit ${limit}
        )
        select ends.*, d.id, ${RECORD_COLUMNS}
        from (select count(*)::int as scanned,
                     (select jsonb_build_object('id', id, 'referenceNumber', reference_number,
                                                'uploadedAt', ${utcText('uploaded_at')},
                                                'clientId', additional_info ->> 'clientId', 'deviceId', device_id)
                      from scanned d order by ${backward} limit 1) as "lastScanned"
              from scanned) ends
        left join found d on true
        left join lateral (
          select i.scores from insights i where i.subscription_id = d.subscription_id and i.dataset_id = d.id limit 1
        ) i on true
        order by ${forward}`,
  )
  const [{ scanned = 0, lastScanned = null } = {}] = found
  const records = found.filter(({ id }) => id !== null)
  const last = records.length === limit ? records.at(-1) : undefined
  const isCut = last && last.id !== lastScanned?.id
  return {
    scanned,
    records: records.map(({ id, scanned, lastScanned, ...record }) => record),
    cursor: isCut ? cursorOf(last) : (lastScanned ?? undefined),
    hasMore: isCut || scanned === rows,
  }
}

const cursorOf = ({ id, referenceNumber, uploadedAt, clientId, deviceId }: Cursor): Cursor => ({
  ...{ id, referenceNumber, uploadedAt, clientId, deviceId },
})

/**
 * Returns the rows of a statement that reads an index in order and stops at its limit. If Postgres expects few rows, it prefers
 * to fetch and sort all of them; with statistics that are a day old, these would be millions.
 */
function queryByIndex<Row>(db: Db, statement: Sql): Promise<Row[]> {
  return db.transaction(async (trx) => {
    const [, rows] = await Promise.all([
      queryRows(trx, sql`set local enable_bitmapscan = off`),
      queryRows<Row>(trx, statement),
    ])
    return rows
  })
}
