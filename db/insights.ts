import type { Platform } from './capture.ts'
import { type Db, queryRows, sixDigits, valuesOf } from './database.ts'
import type { DatasetStatus } from './datasets.ts'
import type { DatasetKey } from './queue.ts'

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
}

/** Saves insights, replacing those that were calculated before. */
export async function saveInsights(trx: Db, insights: readonly StoredInsight[]): Promise<void> {
  if (insights.length === 0) return
  const { sql, bindings } = valuesOf(
    ['integer', 'bigint', 'json', 'json', 'json', 'json'],
    insights.map((i) => [i.subscriptionId, i.id, i.scores, i.fragments, i.features, i.explanations]),
  )
  await queryRows(
    trx,
    `insert into insights (subscription_id, dataset_id, scores, fragments, features, explanations) values ${sql}
     on conflict (subscription_id, dataset_id) do update set
       scores = excluded.scores, fragments = excluded.fragments, features = excluded.features,
       explanations = excluded.explanations, calculated_at = clock_timestamp()`,
    bindings,
  )
}

/** Who asks for an insight, and since when. */
export interface InsightRequest {
  readonly requestor: string
  readonly address: string | null
  /** Seconds since the call was triggered; the record says when that was. */
  readonly waitedSeconds: number
  /** Records the call even if the dataset still waits: set it when no other attempt follows. */
  readonly last: boolean
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
  readonly calculatedDate: string | null
  /** When the call was triggered, as it was recorded; null where it was not. */
  readonly requestedDate: string | null
}

/** The insight of a dataset, and the record of the request for it, in one round trip; undefined if there is none. */
export async function requestInsight(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
  request: InsightRequest,
): Promise<FoundInsight | undefined> {
  const [found] = await queryRows<FoundInsight>(
    db,
    `with found as (
       select d.subscription_id, d.id, d.status, d.platform, d.reference_number, d.uploaded_at, d.invalid_detail,
              i.scores, i.fragments, i.calculated_at
       from datasets d left join insights i on i.subscription_id = d.subscription_id and i.dataset_id = d.id
       where d.subscription_id = ? and d.reference_number = ?
     ), recorded as (
       insert into insight_requests
         (subscription_id, reference_number, requested_at, requestor, address, dataset_id)
       select c.*, f.id
       from (select ?::integer, ?, clock_timestamp() - make_interval(secs => ?), ?, ?) c left join found f on true
       where f.status is distinct from 'received' or ?
       returning requested_at
     )
     select f.subscription_id as "subscriptionId", f.id, f.status, f.platform,
            f.reference_number as "referenceNumber", ${sixDigits('f.uploaded_at')} as "uploadDate",
            f.invalid_detail as "invalidDetail", f.scores, f.fragments,
            ${sixDigits('f.calculated_at')} as "calculatedDate", ${sixDigits('r.requested_at')} as "requestedDate"
     from found f left join recorded r on true`,
    [
      subscriptionId,
      referenceNumber,
      subscriptionId,
      referenceNumber,
      request.waitedSeconds,
      request.requestor,
      request.address,
      request.last,
    ],
  )
  return found
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
}

export async function findExplainedInsight(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
): Promise<ExplainedInsight | undefined> {
  const [insight] = await queryRows<
    { calculatedAt: string } & Record<'scores' | 'fragments' | 'features' | 'explanations', string>
  >(
    db,
    `select ${sixDigits('i.calculated_at')} as "calculatedAt", i.scores, i.fragments, i.features, i.explanations
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
    }
  )
}
