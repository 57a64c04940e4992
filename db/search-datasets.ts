import type { Platform } from './capture.ts'
import { type Db, queryRows, sixDigits } from './database.ts'
import { type DatasetRecord, RECORD } from './dataset-records.ts'
import type { DatasetStatus } from './datasets.ts'

/** Which datasets are searched: those to which all of this applies. */
export interface DatasetSearch {
  /** How the reference number begins, to the letter. */
  readonly prefix?: string | undefined
  readonly status?: DatasetStatus | undefined
  readonly platform?: Platform | undefined
  /** Uploaded at this instant or later; any text that Postgres reads as a time with its zone. */
  readonly since?: string | undefined
  /** Uploaded before this instant. */
  readonly until?: string | undefined
  /** Has a score of this code, from and to these values, both included. */
  readonly score?:
    | { readonly code: string; readonly from?: number | undefined; readonly to?: number | undefined }
    | undefined
  readonly clientId?: string | undefined
  readonly deviceId?: string | undefined
  /** Code of the reason for which it is invalid. */
  readonly invalidCode?: string | undefined
}

/** A dataset as a place in a search: further on is older or, where reference numbers are walked, behind it. */
export interface Place {
  readonly id: number
  readonly referenceNumber: string
  readonly uploadedAt: string
}

/** The place of a dataset; undefined when there is none of this reference number. */
export async function findPlace(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
): Promise<Place | undefined> {
  const [place] = await queryRows<Place>(
    db,
    `select id, reference_number as "referenceNumber", ${sixDigits('uploaded_at')} as "uploadedAt"
     from datasets where subscription_id = ? and reference_number = ?`,
    [subscriptionId, referenceNumber],
  )
  return place
}

/** A search that has begun: the one index that it walks, from where to where, and what is asked of each row on the way. */
export interface Walk {
  readonly subscriptionId: number
  readonly order: 'newest' | 'reference number'
  /** What the index finds. */
  readonly along: Condition
  /** What is looked at in each row; undefined where the index finds all and nothing else. */
  readonly filter: Condition | undefined
}

interface Condition {
  readonly sql: string
  readonly bindings: readonly unknown[]
}

const all = (conditions: readonly Condition[]): Condition => ({
  sql: conditions.map(({ sql }) => sql).join(' and '),
  bindings: conditions.flatMap(({ bindings }) => bindings),
})

/**
 * Begins a search: newest first, or in the order of reference numbers where nothing but how they begin picks few of them.
 *
 * A device, a client, a beginning and the rarer states are found by index. What is asked besides is looked at in the rows on the
 * way, the newest first; a time bounds their ids.
 */
export async function beginWalk(db: Db, subscriptionId: number, search: DatasetSearch): Promise<Walk> {
  const { prefix, status, platform, since, until, score, clientId, deviceId, invalidCode } = search
  const along: Condition[] = [{ sql: 'd.subscription_id = ?', bindings: [subscriptionId] }]
  const filter: Condition[] = []
  const isInvalid = status === 'invalid' || (invalidCode !== undefined && status === undefined)
  const state = status ?? (isInvalid ? 'invalid' : undefined)
  // the state as a constant: by it Postgres knows that the index of the rarer ones is enough
  const ofState = { sql: `d.status = '${state}'`, bindings: [] }
  const beginsWith = { sql: 'd.reference_number ^@ ?', bindings: [prefix] }
  const isDevice = {
    sql: 'd.device_id is not null and hashtextextended(d.device_id, 0) = hashtextextended(?, 0)',
    bindings: [deviceId],
  }
  const ofClient = {
    sql: `d.additional_info ->> 'clientId' is not null
          and hashtextextended(d.additional_info ->> 'clientId', 0) = hashtextextended(?, 0)`,
    bindings: [clientId],
  }

  const led = deviceId !== undefined ? isDevice : clientId !== undefined ? ofClient : undefined
  const order = prefix !== undefined && !led ? 'reference number' : 'newest'
  if (led) along.push(led)
  else if (prefix !== undefined) along.push(beginsWith)
  else if (state !== undefined && state !== 'ready') along.push(ofState)

  if (deviceId !== undefined) filter.push({ sql: 'd.device_id = ?', bindings: [deviceId] })
  if (clientId !== undefined)
    filter.push({ sql: `d.additional_info ->> 'clientId' = ?`, bindings: [clientId] })
  if (prefix !== undefined && led) filter.push(beginsWith)
  if (state !== undefined && !along.includes(ofState)) filter.push(ofState)
  if (platform !== undefined) filter.push({ sql: 'd.platform = ?', bindings: [platform] })
  if (invalidCode !== undefined) filter.push({ sql: 'd.invalid_code = ?', bindings: [invalidCode] })
  if (since !== undefined) filter.push({ sql: 'd.uploaded_at >= ?::timestamptz', bindings: [since] })
  if (until !== undefined) filter.push({ sql: 'd.uploaded_at < ?::timestamptz', bindings: [until] })
  if (score) filter.push(hasScore(score))

  if (order === 'newest' && since !== undefined)
    along.push({ sql: 'd.id >= ?', bindings: [await findIdBySince(db, subscriptionId, since, -1)] })
  if (order === 'newest' && until !== undefined)
    along.push({ sql: 'd.id < ?', bindings: [await findIdBySince(db, subscriptionId, until, 1)] })
  return {
    subscriptionId,
    order,
    along: all(along),
    filter: filter.length === 0 ? undefined : all(filter),
  }
}

/** By `case`, so that nothing is looked for in the insights of those that have none. */
const hasScore = ({ code, from, to }: NonNullable<DatasetSearch['score']>): Condition => ({
  sql: `case when d.status = 'ready' then exists (
          select from insights i, json_array_elements(i.scores) s
          where i.subscription_id = d.subscription_id and i.dataset_id = d.id and s ->> 'code' = ?
            and (s ->> 'value')::float8 between coalesce(?::float8, '-infinity') and coalesce(?::float8, 'infinity')
        ) end`,
  bindings: [code, from ?? null, to ?? null],
})

/** Ids are given out in the order of upload times, but for groups under way at once and small steps of the clock. */
const DISORDER = "interval '1 minute'"

/**
 * The least id from which on datasets were uploaded at this instant or later, found by halving: some 30 probes of the primary key,
 * whatever there is.
 *
 * @param side -1 for an id that is surely low enough to begin with, 1 for one that is surely high enough to end before.
 */
async function findIdBySince(db: Db, subscriptionId: number, instant: string, side: -1 | 1): Promise<number> {
  const [row] = await queryRows<{ id: number }>(
    db,
    `with recursive search (low, high) as (
       select coalesce(min(id), 0), coalesce(max(id), 0) + 1 from datasets where subscription_id = ?
       union all
       select case when d.uploaded_at < t.at then d.id + 1 else s.low end,
              case when d.uploaded_at < t.at then s.high else (s.low + s.high) / 2 end
       from search s
       cross join (select ?::timestamptz + ? * ${DISORDER} as at) t
       cross join lateral (
         select id, uploaded_at from datasets
         where subscription_id = ? and id >= (s.low + s.high) / 2 order by id limit 1
       ) d
       where s.low < s.high
     )
     select low as id from search order by high - low limit 1`,
    [subscriptionId, instant, side, subscriptionId],
  )
  return row?.id ?? 0
}

/** When the oldest dataset on the way was uploaded; undefined where there is none, or another order than that of time. */
export async function findOldestUpload(db: Db, { along, order }: Walk): Promise<string | undefined> {
  if (order !== 'newest') return undefined
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
 * Goes on with a search behind `after`: looks at up to `rows` datasets and gives up to `limit` of them, in one statement whose
 * cost depends on those numbers alone.
 */
export async function walkOn(
  db: Db,
  walk: Walk,
  { after, rows, limit }: { after: Place | undefined; rows: number; limit: number },
): Promise<WalkStep> {
  const { along, filter } = walk
  const [key, behind, start] =
    walk.order === 'newest'
      ? ['id', 'desc', { sql: 'd.id < ?', bindings: [after?.id] }]
      : ['reference_number', 'asc', { sql: 'd.reference_number > ?', bindings: [after?.referenceNumber] }]
  const from = after ? all([along, start]) : along
  const found = await alongIndex<DatasetRecord & Place & { looked: number; lookedThrough: Place | null }>(
    db,
    `with looked as materialized (
       select d.subscription_id, d.id, d.reference_number, d.status, d.platform, d.uploaded_at, d.settled_at, d.ring_at,
              d.device_id, d.additional_info, d.invalid_code, d.invalid_detail
       from datasets d where ${from.sql} order by d.${key} ${behind} limit ?
     ), found as (
       select * from looked d ${filter ? `where ${filter.sql}` : ''} order by d.${key} ${behind} limit ?
     )
     select ends.*, d.id, ${RECORD}
     from (select count(*)::int as looked,
                  (select jsonb_build_object('id', id, 'referenceNumber', reference_number,
                                             'uploadedAt', ${sixDigits('uploaded_at')})
                   from looked order by ${key} ${behind === 'desc' ? 'asc' : 'desc'} limit 1) as "lookedThrough"
           from looked) ends
     left join found d on true
     left join lateral (
       select i.scores from insights i where i.subscription_id = d.subscription_id and i.dataset_id = d.id limit 1
     ) i on true
     order by d.${key} ${behind}`,
    [...from.bindings, rows, ...(filter?.bindings ?? []), limit],
  )
  const [{ looked = 0, lookedThrough = null } = {}] = found
  const records = found.filter(({ id }) => id !== null)
  const last = records.length === limit ? records.at(-1) : undefined
  const cut = last && last.id !== lookedThrough?.id
  return {
    records: records.map(({ id, looked, lookedThrough, ...record }) => record),
    through: cut
      ? { id: last.id, referenceNumber: last.referenceNumber, uploadedAt: last.uploadedAt }
      : (lookedThrough ?? undefined),
    hasMore: cut || looked === rows,
  }
}

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
