import type { Actor } from '../audit/actor.ts'
import { ACTOR_COLUMNS, actorValues } from '../audit/actor-columns.ts'
import type { Platform } from '../capture/capture.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'
import { type DatasetSelection, selected } from './datasets.ts'

/** A ready dataset, locked until the transaction ends, with its features and present scores. */
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
 * Locks the selected datasets among the `limit` ready datasets after `afterId`, in order of id.
 *
 * @returns them, and the `afterId` of the next page; null at the end.
 */
export async function lockScored(
  trx: Db,
  subscriptionId: number,
  { referenceNumbers, since, until }: Pick<DatasetSelection, 'referenceNumbers' | 'since' | 'until'>,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<{ datasets: ScoredDataset[]; afterId: number | null }> {
  const named = selected(referenceNumbers ? { referenceNumbers } : {})
  const times = selected({ ...(since && { since }), ...(until && { until }) })
  const page = await queryRows<{ id: number; selected: boolean }>(
    trx,
    sql`select id, (true ${times}) as selected from (
          select id, uploaded_at from datasets
          where subscription_id = ${subscriptionId} and id > ${afterId} and status = 'ready' ${named}
          order by id limit ${limit}
        ) d order by id`,
  )
  const ids = page.filter((row) => row.selected).map(({ id }) => id)
  const datasets = await queryRows<ScoredDataset>(
    trx,
    sql`select d.id, d.platform, i.features, i.scores, i.explanations, i.calculated_at::text as "calculatedAt"
        from datasets d join insights i on i.subscription_id = d.subscription_id and i.dataset_id = d.id
        where d.subscription_id = ${subscriptionId} and d.id = any(${ids}) and d.status = 'ready'
        order by d.id for update of d`,
  )
  return { datasets, afterId: page.length < limit ? null : (page.at(-1)?.id ?? null) }
}

/** New scores of a dataset, and those that they replace. */
export interface Rescored {
  readonly before: ScoredDataset
  readonly scores: string
  readonly explanations: string
}

/** Replaces the scores of datasets that the transaction has locked; stores the old ones as history and records the change. */
export async function saveRescored(
  trx: Db,
  subscriptionId: number,
  actor: Actor,
  rescored: readonly Rescored[],
): Promise<void> {
  if (rescored.length === 0) return
  const rows = valueRows(
    ['bigint', 'json', 'json'],
    rescored.map(({ before, scores, explanations }) => [before.id, scores, explanations]),
  )
  await queryRows(
    trx,
    sql`with fresh (dataset_id, scores, explanations) as (values ${rows}),
        history as (
          insert into score_history (subscription_id, dataset_id, calculated_at, ${ACTOR_COLUMNS}, scores, explanations)
          select i.subscription_id, i.dataset_id, i.calculated_at, ${actorValues(actor)}, i.scores, i.explanations
          from insights i join fresh f using (dataset_id) where i.subscription_id = ${subscriptionId}
        ), recorded as (
          insert into dataset_events (subscription_id, dataset_id, event, ${ACTOR_COLUMNS}, detail)
          select ${subscriptionId}, dataset_id, 'recalculated', ${actorValues(actor)}, '{"rescored": true}' from fresh
        )
        update insights i set scores = f.scores, explanations = f.explanations, calculated_at = statement_timestamp()
        from fresh f where i.subscription_id = ${subscriptionId} and i.dataset_id = f.dataset_id`,
  )
}
