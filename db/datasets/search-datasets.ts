import type { Platform } from '../capture/capture.ts'
import { type Db, queryRows, sixDigits } from '../postgres/database.ts'
import type { DatasetStatus } from './datasets.ts'
import { hasIdentifier, identifierLegs } from './identifier-search.ts'
import type { Condition, Leg, Place, Walk } from './search-plan.ts'

/** Which datasets are searched: those to which all of this applies. */
export interface DatasetSearch {
  /** How its reference number, client or device begins, in either case of A to Z; the first 100 characters count. */
  readonly term?: string | undefined
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

/** The place of a dataset; undefined when there is none of this reference number. */
export async function findPlace(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
): Promise<Place | undefined> {
  const [place] = await queryRows<Place>(
    db,
    `select id, reference_number as "referenceNumber", ${sixDigits('uploaded_at')} as "uploadedAt",
            additional_info ->> 'clientId' as "clientId", device_id as "deviceId"
     from datasets where subscription_id = ? and reference_number = ?`,
    [subscriptionId, referenceNumber],
  )
  return place
}

/**
 * Begins a search: newest first, or in the order of identifiers where nothing but how they begin picks few of them.
 *
 * A device, a client, a beginning and the rarer states are found by index. What is asked besides is looked at in the rows on the
 * way, the newest first; a time bounds their ids.
 */
export async function beginWalk(db: Db, subscriptionId: number, search: DatasetSearch): Promise<Walk> {
  const { term, prefix, status, platform, since, until, score, clientId, deviceId, invalidCode } = search
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
  const isNewestFirst = led !== undefined || (term === undefined && prefix === undefined)
  const isRare = state !== undefined && state !== 'ready'
  const lead = led ?? (prefix !== undefined ? beginsWith : isRare ? ofState : undefined)
  // otherwise the legs of the term lead
  if (lead && (led || term === undefined)) along.push(lead)

  if (deviceId !== undefined) filter.push({ sql: 'd.device_id = ?', bindings: [deviceId] })
  if (clientId !== undefined)
    filter.push({ sql: `d.additional_info ->> 'clientId' = ?`, bindings: [clientId] })
  if (led && term !== undefined) filter.push(hasIdentifier(term))
  if (prefix !== undefined && !along.includes(beginsWith)) filter.push(beginsWith)
  if (state !== undefined && !along.includes(ofState)) filter.push(ofState)
  if (platform !== undefined) filter.push({ sql: 'd.platform = ?', bindings: [platform] })
  if (invalidCode !== undefined) filter.push({ sql: 'd.invalid_code = ?', bindings: [invalidCode] })
  if (since !== undefined) filter.push({ sql: 'd.uploaded_at >= ?::timestamptz', bindings: [since] })
  if (until !== undefined) filter.push({ sql: 'd.uploaded_at < ?::timestamptz', bindings: [until] })
  if (score) filter.push(hasScore(score))

  if (!led && term !== undefined) return { isNewestFirst, legs: identifierLegs(term, along, filter) }
  if (!isNewestFirst) return { isNewestFirst, legs: [{ ...BY_REFERENCE, along, filter }] }
  if (since !== undefined)
    along.push({ sql: 'd.id >= ?', bindings: [await findIdBySince(db, subscriptionId, since, -1)] })
  if (until !== undefined)
    along.push({ sql: 'd.id < ?', bindings: [await findIdBySince(db, subscriptionId, until, 1)] })
  return { isNewestFirst, legs: [{ ...BY_ID, along, filter }] }
}

const BY_ID: Pick<Leg, 'order' | 'holds' | 'behind'> = {
  order: { forth: 'd.id desc', back: 'd.id' },
  holds: () => true,
  behind: ({ id }) => ({ sql: 'd.id < ?', bindings: [id] }),
}

const BY_REFERENCE: Pick<Leg, 'order' | 'holds' | 'behind'> = {
  order: { forth: 'd.reference_number', back: 'd.reference_number desc' },
  holds: () => true,
  behind: ({ referenceNumber }) => ({ sql: 'd.reference_number > ?', bindings: [referenceNumber] }),
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
