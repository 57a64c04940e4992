import type { Platform } from '../capture/capture.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, type Sql, sql } from '../postgres/sql.ts'
import type { DatasetStatus } from './datasets.ts'
import { hasIdentifier, identifierScans, mayHaveIdentifier } from './identifier-search.ts'
import type { Cursor, IndexScan, SearchPlan } from './search-plan.ts'

/** The filters of a search; a dataset has to match all of them. */
export interface DatasetSearch {
  /** Beginning of its reference number, client or device, in either case of A to Z; the first 100 characters count. */
  readonly term?: string | undefined
  /** Beginning of its reference number; case-sensitive. */
  readonly prefix?: string | undefined
  readonly status?: DatasetStatus | undefined
  readonly platform?: Platform | undefined
  /** Uploaded at this time or later; any text that Postgres reads as a time with its zone. */
  readonly since?: string | undefined
  /** Uploaded before this time. */
  readonly until?: string | undefined
  /** Has a score of this code from `from` to `to`, both included. */
  readonly score?:
    | { readonly code: string; readonly from?: number | undefined; readonly to?: number | undefined }
    | undefined
  readonly clientId?: string | undefined
  readonly deviceId?: string | undefined
  /** Error code of an invalid dataset. */
  readonly invalidCode?: string | undefined
}

/** Returns the cursor of a dataset; undefined if there is none with this reference number. */
export async function findCursor(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
): Promise<Cursor | undefined> {
  const [cursor] = await queryRows<Cursor>(
    db,
    sql`select id, reference_number as "referenceNumber", ${utcText('uploaded_at')} as "uploadedAt",
               additional_info ->> 'clientId' as "clientId", device_id as "deviceId"
        from datasets where subscription_id = ${subscriptionId} and reference_number = ${referenceNumber}`,
  )
  return cursor
}

/**
 * Plans a search: newest first, or ordered by identifier if a term or prefix is the only selective filter.
 *
 * A device, client, prefix, term or rare status is found by its index; a time bounds the ids. All other filters are checked for
 * each row scanned.
 */
export async function planSearch(db: Db, subscriptionId: number, search: DatasetSearch): Promise<SearchPlan> {
  const { term, prefix, status, platform, since, until, score, clientId, deviceId, invalidCode } = search
  const indexConditions: Sql[] = [sql`d.subscription_id = ${subscriptionId}`]
  const filter: Sql[] = []
  const isInvalid = status === 'invalid' || (invalidCode !== undefined && status === undefined)
  const wantedStatus = status ?? (isInvalid ? 'invalid' : undefined)
  // a constant: a parameter would not let Postgres use the partial index of the rare statuses
  const hasStatus = raw(`d.status = '${wantedStatus}'`)
  const hasPrefix = sql`d.reference_number ^@ ${prefix ?? null}`
  const isOwner =
    deviceId !== undefined
      ? mayHaveIdentifier('device', deviceId)
      : clientId !== undefined
        ? mayHaveIdentifier('client', clientId)
        : undefined
  const isNewestFirst = isOwner !== undefined || (term === undefined && prefix === undefined)
  const isRare = wantedStatus !== undefined && wantedStatus !== 'ready'
  const selective = isOwner ?? (prefix !== undefined ? hasPrefix : isRare ? hasStatus : undefined)
  // otherwise the identifier scans of the term select
  if (selective && (isOwner || term === undefined)) indexConditions.push(selective)

  if (deviceId !== undefined) filter.push(sql`d.device_id = ${deviceId}`)
  if (clientId !== undefined) filter.push(sql`d.additional_info ->> 'clientId' = ${clientId}`)
  if (isOwner && term !== undefined) filter.push(hasIdentifier(term))
  if (prefix !== undefined && !indexConditions.includes(hasPrefix)) filter.push(hasPrefix)
  if (wantedStatus !== undefined && !indexConditions.includes(hasStatus)) filter.push(hasStatus)
  if (platform !== undefined) filter.push(sql`d.platform = ${platform}`)
  if (invalidCode !== undefined) filter.push(sql`d.invalid_code = ${invalidCode}`)
  if (since !== undefined) filter.push(sql`d.uploaded_at >= ${since}::timestamptz`)
  if (until !== undefined) filter.push(sql`d.uploaded_at < ${until}::timestamptz`)
  if (score) filter.push(hasScore(score))

  if (!isOwner && term !== undefined)
    return { isNewestFirst, scans: identifierScans(term, indexConditions, filter) }
  if (!isNewestFirst) return { isNewestFirst, scans: [{ ...BY_REFERENCE, indexConditions, filter }] }
  if (since !== undefined) {
    const least = await findIdBySince(db, subscriptionId, since, -1)
    indexConditions.push(isOwner ? sql`(-d.id) <= ${-least}` : sql`d.id >= ${least}`)
  }
  if (until !== undefined) {
    const end = await findIdBySince(db, subscriptionId, until, 1)
    indexConditions.push(isOwner ? sql`(-d.id) > ${-end}` : sql`d.id < ${end}`)
  }
  return { isNewestFirst, scans: [{ ...(isOwner ? BY_NEGATED_ID : BY_ID), indexConditions, filter }] }
}

const BY_ID: Pick<IndexScan, 'order' | 'contains' | 'after'> = {
  order: { forward: 'd.id desc', backward: 'd.id' },
  contains: () => true,
  after: ({ id }) => sql`d.id < ${id}`,
}

/** As `BY_ID`, in an index of negated ids. */
const BY_NEGATED_ID: typeof BY_ID = {
  order: { forward: '(-d.id)', backward: '(-d.id) desc' },
  contains: () => true,
  after: ({ id }) => sql`(-d.id) > ${-id}`,
}

const BY_REFERENCE: Pick<IndexScan, 'order' | 'contains' | 'after'> = {
  order: { forward: 'd.reference_number', backward: 'd.reference_number desc' },
  contains: () => true,
  after: ({ referenceNumber }) => sql`d.reference_number > ${referenceNumber}`,
}

/** A `case`, so that insights are read only for datasets that have one. */
const hasScore = ({ code, from, to }: NonNullable<DatasetSearch['score']>): Sql =>
  sql`case when d.status = 'ready' then exists (
        select from insights i, json_array_elements(i.scores) s
        where i.subscription_id = d.subscription_id and i.dataset_id = d.id and s ->> 'code' = ${code}
          and (s ->> 'value')::float8
            between coalesce(${from ?? null}::float8, '-infinity') and coalesce(${to ?? null}::float8, 'infinity')
      ) end`

/** Ids are assigned in the order of upload times, except for concurrent batches and small steps of the clock. */
const DISORDER = raw(`interval '1 minute'`)

/**
 * Returns the least id of the datasets uploaded at this time or later, by binary search: some 30 probes of the primary key,
 * however many datasets there are.
 *
 * @param side -1 for an id that is surely low enough to start at, 1 for one that is surely high enough to end before.
 */
async function findIdBySince(
  db: Db,
  subscriptionId: number,
  timestamp: string,
  side: -1 | 1,
): Promise<number> {
  const [row] = await queryRows<{ id: number }>(
    db,
    sql`with recursive search (low, high) as (
          select coalesce(min(id), 0), coalesce(max(id), 0) + 1 from datasets where subscription_id = ${subscriptionId}
          union all
          select case when d.uploaded_at < t.at then d.id + 1 else s.low end,
                 case when d.uploaded_at < t.at then s.high else (s.low + s.high) / 2 end
          from search s
          cross join (select ${timestamp}::timestamptz + ${side} * ${DISORDER} as at) t
          cross join lateral (
            select id, uploaded_at from datasets
            where subscription_id = ${subscriptionId} and id >= (s.low + s.high) / 2 order by id limit 1
          ) d
          where s.low < s.high
        )
        select low as id from search order by high - low limit 1`,
  )
  return row?.id ?? 0
}
