import type { Platform } from '../capture/capture.ts'
import { type Db, queryRows, valuesOf } from '../postgres/database.ts'
import { conditionsOf, type DatasetSelection } from './datasets.ts'

/** A dataset that is ready, locked until the transaction ends, with what it was scored on and what came of it. */
export interface ScoredDataset {
  readonly id: number
  readonly platform: Platform
  /** JSON texts, as they are stored. */
  readonly features: string
  readonly scores: string
  readonly explanations: string
  /** When the scores were calculated, as Postgres writes it. */
  readonly calculatedAt: string
}

/**
 * Locks the selected ones among the `limit` ready datasets after `afterId`, in order of id.
 *
 * @returns them, and where the next page begins; null at the end.
 */
export async function lockScored(
  trx: Db,
  subscriptionId: number,
  { referenceNumbers, since, until }: Pick<DatasetSelection, 'referenceNumbers' | 'since' | 'until'>,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<{ datasets: ScoredDataset[]; afterId: number | null }> {
  const named = conditionsOf(referenceNumbers ? { referenceNumbers } : {})
  const times = conditionsOf({ ...(since && { since }), ...(until && { until }) })
  const page = await queryRows<{ id: number; meant: boolean }>(
    trx,
    `select id, (true ${times.sql}) as meant from (
       select id, uploaded_at from datasets
       where subscription_id = ? and id > ? and status = 'ready' ${named.sql} order by id limit ?
     ) d order by id`,
    [...times.bindings, subscriptionId, afterId, ...named.bindings, limit],
  )
  const datasets = await queryRows<ScoredDataset>(
    trx,
    `select d.id, d.platform, i.features, i.scores, i.explanations, i.calculated_at::text as "calculatedAt"
     from datasets d join insights i on i.subscription_id = d.subscription_id and i.dataset_id = d.id
     where d.subscription_id = ? and d.id = any(?) and d.status = 'ready' order by d.id for update of d`,
    [subscriptionId, page.filter(({ meant }) => meant).map(({ id }) => id)],
  )
  return { datasets, afterId: page.length < limit ? null : (page.at(-1)?.id ?? null) }
}

/** New scores of a dataset, and what they replace. */
export interface Rescored {
  readonly before: ScoredDataset
  readonly scores: string
  readonly explanations: string
}

/** Replaces the scores of datasets that the transaction has locked; what they were is kept, and noted in their timelines. */
export async function saveRescored(
  trx: Db,
  subscriptionId: number,
  actor: string,
  rescored: readonly Rescored[],
): Promise<void> {
  if (rescored.length === 0) return
  const { sql, bindings } = valuesOf(
    ['bigint', 'json', 'json'],
    rescored.map(({ before, scores, explanations }) => [before.id, scores, explanations]),
  )
  await queryRows(
    trx,
    `with fresh (dataset_id, scores, explanations) as (values ${sql}),
     kept as (
       insert into score_history (subscription_id, dataset_id, calculated_at, actor, scores, explanations)
       select i.subscription_id, i.dataset_id, i.calculated_at, ?, i.scores, i.explanations
       from insights i join fresh f using (dataset_id) where i.subscription_id = ?
     ), noted as (
       insert into dataset_events (subscription_id, dataset_id, event, actor, detail)
       select ?, dataset_id, 'recalculated', ?, '{"rescored": true}' from fresh
     )
     update insights i set scores = f.scores, explanations = f.explanations, calculated_at = clock_timestamp()
     from fresh f where i.subscription_id = ? and i.dataset_id = f.dataset_id`,
    [...bindings, actor, subscriptionId, subscriptionId, actor, subscriptionId],
  )
}
