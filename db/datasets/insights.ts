import { type Actor, actorText } from '../audit/actor.ts'
import type { Platform } from '../capture/capture.ts'
import { type Db, queryRows, sixDigits, utcText, valuesOf } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'
import { type DatasetKey, unnestKeys } from './dataset-key.ts'
import type { DatasetStatus } from './datasets.ts'

/** An insight as it is stored: JSON texts, which are sent unchanged. */
export interface StoredInsight extends DatasetKey {
  /** Array of `{code, value, probability}`. */
  readonly scores: string
  /** Array of `{code, value}`. */
  readonly fragments: string
  /** Object of feature name to value; missing features are absent. */
  readonly features: string
  /** Array of one explanation per score. */
  readonly explanations: string
  /** Explanations of challengers, which are never returned to clients; null if there are none. */
  readonly shadow: string | null
}

/** Saves insights; they replace those calculated before. */
export async function saveInsights(trx: Db, insights: readonly StoredInsight[]): Promise<void> {
  if (insights.length === 0) return
  const { sql: rows, bindings } = valuesOf(
    ['integer', 'bigint', 'json', 'json', 'json', 'json', 'json'],
    insights.map((i) => [
      i.subscriptionId,
      i.id,
      i.scores,
      i.fragments,
      i.features,
      i.explanations,
      i.shadow,
    ]),
  )
  await queryRows(
    trx,
    `insert into insights (subscription_id, dataset_id, scores, fragments, features, explanations, shadow) values ${rows}
     on conflict (subscription_id, dataset_id) do update set
       scores = excluded.scores, fragments = excluded.fragments, features = excluded.features,
       explanations = excluded.explanations, shadow = excluded.shadow, calculated_at = statement_timestamp()`,
    bindings,
  )
}

/** The version that scored a dataset under a code. */
export interface ScoredVersion {
  readonly code: string
  readonly version: string
}

/** Lists the versions that scored these datasets; those without an insight are left out. */
export async function listScoredVersions(
  db: Db,
  keys: readonly DatasetKey[],
): Promise<(DatasetKey & { readonly scored: readonly ScoredVersion[] })[]> {
  const rows = await queryRows<DatasetKey & { explanations: string }>(
    db,
    sql`select k.subscription_id as "subscriptionId", k.id, i.explanations
        from ${unnestKeys(keys)}
        join insights i on i.subscription_id = k.subscription_id and i.dataset_id = k.id`,
  )
  return rows.map(({ explanations, ...key }) => ({
    ...key,
    scored: (JSON.parse(explanations) as ScoredVersion[]).map(({ code, version }) => ({ code, version })),
  }))
}

/** The features that a dataset was scored on. */
export interface ScoredFeatures {
  readonly id: number
  readonly platform: Platform
  /** JSON text of an object of feature name to value. */
  readonly features: string
}

/** Lists the scored features of a subscription's datasets before this one, newest first. */
export async function listScoredFeatures(
  db: Db,
  subscriptionId: number,
  { beforeId, limit }: { beforeId: number; limit: number },
): Promise<ScoredFeatures[]> {
  return queryRows(
    db,
    sql`select i.dataset_id as id, d.platform, i.features
        from insights i join datasets d on d.subscription_id = i.subscription_id and d.id = i.dataset_id
        where i.subscription_id = ${subscriptionId} and i.dataset_id < ${beforeId} and d.status = 'ready'
        order by i.dataset_id desc limit ${limit}`,
  )
}

/** A request for an insight. */
export interface InsightRequest {
  readonly subscriptionId: number
  readonly referenceNumber: string
  readonly requestor: Actor
  /** Seconds since the request arrived; its time is recorded. */
  readonly waitedSeconds: number
  /** Records the request even if the dataset still waits: set it if no other attempt follows. */
  readonly last: boolean
  /** Requests the explanations too, which are ten times as large as the scores. */
  readonly explained: boolean
}

/** A dataset and, if it is ready, its insight. */
export interface FoundInsight extends DatasetKey {
  readonly status: DatasetStatus
  readonly platform: Platform | null
  readonly referenceNumber: string
  readonly uploadDate: string
  readonly invalidDetail: string | null
  readonly scores: string | null
  readonly fragments: string | null
  /** null also if they were not requested. */
  readonly explanations: string | null
  readonly calculatedDate: string | null
  /** When the request arrived, as it is recorded. */
  readonly requestedDate: string
  /** JSON text of the level and origin of the collection; null if no browser collected the dataset. */
  readonly collection: string | null
}

/**
 * Returns the insights of datasets and records the requests for them, in one round trip and one commit.
 *
 * @returns the dataset of each request, in their order; undefined if there is none.
 */
export const requestInsights = (
  db: Db,
  requests: readonly InsightRequest[],
): Promise<(FoundInsight | undefined)[]> => selectInsights(db, requests, RECORDED)

/** As `requestInsights`, without records of the requests, so that a replica can answer: `recordRequests` records them. */
export const findInsights = (
  db: Db,
  requests: readonly InsightRequest[],
): Promise<(FoundInsight | undefined)[]> => selectInsights(db, requests, '')

const RECORDED = `, recorded as (
       insert into insight_requests
         (subscription_id, reference_number, requested_at, requestor, requestor_kind, requestor_id, address, dataset_id)
       select subscription_id, reference_number, requested_at, requestor, requestor_kind, requestor_id, address, id from calls
       where status is distinct from 'received' or last
     )`

/** @param also further parts of the statement, which may read `calls`. */
async function selectInsights(
  db: Db,
  requests: readonly InsightRequest[],
  also: string,
): Promise<(FoundInsight | undefined)[]> {
  const { sql: calls, bindings } = valuesOf(
    ['integer', 'integer', 'text', 'text', 'text', 'bigint', 'text', 'float8', 'boolean', 'boolean'],
    requests.map((r, n) => [
      n,
      r.subscriptionId,
      r.referenceNumber,
      actorText(r.requestor),
      r.requestor.kind,
      r.requestor.id,
      r.requestor.address ?? null,
      r.waitedSeconds,
      r.last,
      r.explained,
    ]),
  )
  const rows = await queryRows<FoundInsight & { n: number }>(
    db,
    // lateral with a limit keeps Postgres from other joins: one index probe for each request, whatever its statistics
    `with calls as materialized (
       select c.*, clock_timestamp() - make_interval(secs => c.waited) as requested_at,
              d.id, d.status, d.platform, d.uploaded_at, d.invalid_detail, d.collection_id
       from (values ${calls}) c
         (n, subscription_id, reference_number, requestor, requestor_kind, requestor_id, address, waited, last, explained)
       left join lateral (
         select * from datasets d
         where d.subscription_id = c.subscription_id and d.reference_number = c.reference_number limit 1
       ) d on true
     )${also}
     select c.n, c.subscription_id as "subscriptionId", c.id, c.status, c.platform,
            c.reference_number as "referenceNumber", ${sixDigits('c.uploaded_at')} as "uploadDate",
            c.invalid_detail as "invalidDetail", i.scores, i.fragments,
            case when c.explained then i.explanations end as explanations,
            ${sixDigits('i.calculated_at')} as "calculatedDate", ${sixDigits('c.requested_at')} as "requestedDate",
            case when c.collection_id is not null then (
              select json_build_object('level', o.level, 'origin', o.origin) from collections o
              where o.subscription_id = c.subscription_id and o.id = c.collection_id
            ) end as collection
     from calls c left join lateral (
       select * from insights i where i.subscription_id = c.subscription_id and i.dataset_id = c.id limit 1
     ) i on true
     where c.id is not null`,
    bindings,
  )
  const found = new Map(rows.map((row) => [row.n, row]))
  return requests.map((_request, n) => found.get(n))
}

/** A request for an insight that was answered and is not recorded yet. */
export type UnrecordedRequest = Pick<InsightRequest, 'requestor'> &
  Pick<FoundInsight, 'subscriptionId' | 'id' | 'referenceNumber' | 'requestedDate'>

/** Records requests, except those for datasets that have been erased since, and with them all records of requests. */
export async function recordRequests(db: Db, requests: readonly UnrecordedRequest[]): Promise<void> {
  if (requests.length === 0) return
  const rows = valueRows(
    ['integer', 'bigint', 'text', 'text', 'text', 'text', 'bigint', 'text'],
    requests.map(({ requestor, ...r }) => [
      ...[r.subscriptionId, r.id, r.referenceNumber, r.requestedDate],
      ...[actorText(requestor), requestor.kind, requestor.id, requestor.address ?? null],
    ]),
  )
  await queryRows(
    db,
    sql`insert into insight_requests
          (subscription_id, dataset_id, reference_number, requested_at, requestor, requestor_kind, requestor_id, address)
        select r.subscription_id, r.id, r.reference_number, r.requested_date::timestamp at time zone 'UTC',
               r.requestor, r.kind, r.requestor_id, r.address
        from (values ${rows}) r (subscription_id, id, reference_number, requested_date, requestor, kind, requestor_id, address)
        cross join lateral (
          select from datasets d where d.subscription_id = r.subscription_id and d.id = r.id limit 1
        ) still_there`,
  )
}

/** Returns those of the datasets that have an outcome (ready, invalid or deleted), also if they wait to be processed again. */
export async function listWithOutcome(db: Db, keys: readonly DatasetKey[]): Promise<DatasetKey[]> {
  return queryRows(
    db,
    sql`select subscription_id as "subscriptionId", id
        from datasets join ${unnestKeys(keys)} using (subscription_id, id)
        where status <> 'received'`,
  )
}

/** An insight with its features and explanations, as an operator sees it. */
export interface ExplainedInsight {
  readonly calculatedAt: string
  readonly scores: unknown
  readonly fragments: unknown
  readonly features: unknown
  /** For each score its scorecard's version and the points of each characteristic, or why there is no score. */
  readonly explanations: unknown
  /** Explanations of challengers; null if there were none. */
  readonly shadow: unknown
}

export async function findExplainedInsight(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
): Promise<ExplainedInsight | undefined> {
  const [insight] = await queryRows<
    { calculatedAt: string } & Record<'scores' | 'fragments' | 'features' | 'explanations', string> & {
        shadow: string | null
      }
  >(
    db,
    sql`select ${utcText('i.calculated_at')} as "calculatedAt", i.scores, i.fragments, i.features, i.explanations,
               i.shadow
        from datasets d join insights i on i.subscription_id = d.subscription_id and i.dataset_id = d.id
        where d.subscription_id = ${subscriptionId} and d.reference_number = ${referenceNumber}`,
  )
  return (
    insight && {
      calculatedAt: insight.calculatedAt,
      scores: JSON.parse(insight.scores),
      fragments: JSON.parse(insight.fragments),
      features: JSON.parse(insight.features),
      explanations: JSON.parse(insight.explanations),
      shadow: JSON.parse(insight.shadow ?? 'null'),
    }
  )
}
