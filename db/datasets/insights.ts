import type { Platform } from '../capture/capture.ts'
import { type Db, queryRows, sixDigits, valuesOf } from '../postgres/database.ts'
import type { DatasetKey } from './dataset-key.ts'
import type { DatasetStatus } from './datasets.ts'

/** An insight as it is stored: JSON texts, sent as they are. */
export interface StoredInsight extends DatasetKey {
  /** Array of `{code, value, probability}`. */
  readonly scores: string
  /** Array of `{code, value}`. */
  readonly fragments: string
  /** Object of feature name to value; missing features are not there. */
  readonly features: string
  /** Array of one explanation per score. */
  readonly explanations: string
  /** As explanations, of challengers, which are never told; null where there are none. */
  readonly shadow: string | null
}

/** Saves insights, replacing those that were calculated before. */
export async function saveInsights(trx: Db, insights: readonly StoredInsight[]): Promise<void> {
  if (insights.length === 0) return
  const { sql, bindings } = valuesOf(
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
    `insert into insights (subscription_id, dataset_id, scores, fragments, features, explanations, shadow) values ${sql}
     on conflict (subscription_id, dataset_id) do update set
       scores = excluded.scores, fragments = excluded.fragments, features = excluded.features,
       explanations = excluded.explanations, shadow = excluded.shadow, calculated_at = clock_timestamp()`,
    bindings,
  )
}

/** The version that scored a dataset under a code. */
export interface ScoredVersion {
  readonly code: string
  readonly version: string
}

/** Which versions scored these datasets, where they have insights. */
export async function listScoredVersions(
  db: Db,
  keys: readonly DatasetKey[],
): Promise<(DatasetKey & { readonly scored: readonly ScoredVersion[] })[]> {
  const rows = await queryRows<DatasetKey & { explanations: string }>(
    db,
    `select i.subscription_id as "subscriptionId", i.dataset_id as id, i.explanations
     from unnest(?::integer[], ?::bigint[]) k (subscription_id, dataset_id)
     join insights i using (subscription_id, dataset_id)`,
    [keys.map((key) => key.subscriptionId), keys.map((key) => key.id)],
  )
  return rows.map(({ explanations, ...key }) => ({
    ...key,
    scored: (JSON.parse(explanations) as ScoredVersion[]).map(({ code, version }) => ({ code, version })),
  }))
}

/** What a dataset was scored on. */
export interface ScoredFeatures {
  readonly id: number
  readonly platform: Platform
  /** JSON text of an object of feature name to value. */
  readonly features: string
}

/** Insights of a subscription before this dataset, newest first. */
export async function listScoredFeatures(
  db: Db,
  subscriptionId: number,
  { beforeId, limit }: { beforeId: number; limit: number },
): Promise<ScoredFeatures[]> {
  return queryRows(
    db,
    `select i.dataset_id as id, d.platform, i.features
     from insights i join datasets d on d.subscription_id = i.subscription_id and d.id = i.dataset_id
     where i.subscription_id = ? and i.dataset_id < ? and d.status = 'ready'
     order by i.dataset_id desc limit ?`,
    [subscriptionId, beforeId, limit],
  )
}

/** A call for an insight. */
export interface InsightRequest {
  readonly subscriptionId: number
  readonly referenceNumber: string
  readonly requestor: string
  readonly address: string | null
  /** Seconds since the call was triggered; the record says when that was. */
  readonly waitedSeconds: number
  /** Records the call even if the dataset still waits: set it when no other attempt follows. */
  readonly last: boolean
  /** Asks for the explanations too, which are ten times the scores. */
  readonly explained: boolean
}

/** A dataset and, when it is ready, its insight. */
export interface FoundInsight extends DatasetKey {
  readonly status: DatasetStatus
  readonly platform: Platform | null
  readonly referenceNumber: string
  readonly uploadDate: string
  readonly invalidDetail: string | null
  readonly scores: string | null
  readonly fragments: string | null
  /** null also where they were not asked for. */
  readonly explanations: string | null
  readonly calculatedDate: string | null
  /** When the call was triggered, as it is recorded. */
  readonly requestedDate: string
}

/**
 * The insights of datasets, and the records of the requests for them, in one round trip and one commit.
 *
 * @returns what was found for each request, in their order; undefined where there is no such dataset.
 */
export async function requestInsights(
  db: Db,
  requests: readonly InsightRequest[],
): Promise<(FoundInsight | undefined)[]> {
  const { sql, bindings } = valuesOf(
    ['integer', 'integer', 'text', 'text', 'text', 'float8', 'boolean', 'boolean'],
    requests.map((r, n) => [
      n,
      r.subscriptionId,
      r.referenceNumber,
      r.requestor,
      r.address,
      r.waitedSeconds,
      r.last,
      r.explained,
    ]),
  )
  const rows = await queryRows<FoundInsight & { n: number }>(
    db,
    // lateral with a limit, which keeps Postgres from joining: an index probe for each request, whatever it knows of the tables
    `with calls as materialized (
       select c.*, clock_timestamp() - make_interval(secs => c.waited) as requested_at,
              d.id, d.status, d.platform, d.uploaded_at, d.invalid_detail
       from (values ${sql}) c (n, subscription_id, reference_number, requestor, address, waited, last, explained)
       left join lateral (
         select * from datasets d
         where d.subscription_id = c.subscription_id and d.reference_number = c.reference_number limit 1
       ) d on true
     ), recorded as (
       insert into insight_requests
         (subscription_id, reference_number, requested_at, requestor, address, dataset_id)
       select subscription_id, reference_number, requested_at, requestor, address, id from calls
       where status is distinct from 'received' or last
     )
     select c.n, c.subscription_id as "subscriptionId", c.id, c.status, c.platform,
            c.reference_number as "referenceNumber", ${sixDigits('c.uploaded_at')} as "uploadDate",
            c.invalid_detail as "invalidDetail", i.scores, i.fragments,
            case when c.explained then i.explanations end as explanations,
            ${sixDigits('i.calculated_at')} as "calculatedDate", ${sixDigits('c.requested_at')} as "requestedDate"
     from calls c left join lateral (
       select * from insights i where i.subscription_id = c.subscription_id and i.dataset_id = c.id limit 1
     ) i on true
     where c.id is not null`,
    bindings,
  )
  const found = new Map(rows.map((row) => [row.n, row]))
  return requests.map((_request, n) => found.get(n))
}

/** Those of the datasets that are no longer waiting for their first processing. */
export async function listSettled(db: Db, keys: readonly DatasetKey[]): Promise<DatasetKey[]> {
  return queryRows(
    db,
    `select subscription_id as "subscriptionId", id
     from datasets join unnest(?::integer[], ?::bigint[]) k (subscription_id, id) using (subscription_id, id)
     where status <> 'received'`,
    [keys.map((key) => key.subscriptionId), keys.map((key) => key.id)],
  )
}

/** An insight with what it was computed from, as an operator sees it. */
export interface ExplainedInsight {
  readonly calculatedAt: string
  readonly scores: unknown
  readonly fragments: unknown
  readonly features: unknown
  /** Of each score: its scorecard's version, and what each characteristic added, or why there is no score. */
  readonly explanations: unknown
  /** Of challengers; null where there were none. */
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
    `select ${sixDigits('i.calculated_at')} as "calculatedAt", i.scores, i.fragments, i.features, i.explanations, i.shadow
     from datasets d join insights i on i.subscription_id = d.subscription_id and i.dataset_id = d.id
     where d.subscription_id = ? and d.reference_number = ?`,
    [subscriptionId, referenceNumber],
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
