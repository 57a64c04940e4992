import { type Db, queryRows } from '../postgres/database.ts'
import type { DatasetKey } from './dataset-key.ts'
import { conditionsOf, type DatasetSelection } from './datasets.ts'
import { ENQUEUE_TIMEOUT } from './outbox.ts'

/** One page of a walk through the datasets of a subscription, in order of id. */
export interface SelectedPage {
  /** Those that can be processed again. */
  readonly ids: readonly number[]
  /** How many were meant but have no data any more, which retention removed. */
  readonly withoutData: number
  /** Where the next page begins; null at the end. */
  readonly afterId: number | null
}

/**
 * The selected ones among the `limit` datasets after `afterId`.
 *
 * A page is so many datasets looked at, not found, so that none takes long however few are meant.
 */
export async function listSelected(
  db: Db,
  subscriptionId: number,
  { referenceNumbers, status, ...others }: DatasetSelection,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<SelectedPage> {
  // these have an index, so that what is looked at is what is found
  const indexed = conditionsOf({ ...(referenceNumbers && { referenceNumbers }), ...(status && { status }) })
  const rest = conditionsOf(others)
  const [page] = await queryRows<{ ids: number[] | null; withoutData: number; afterId: number | null }>(
    db,
    `with page as materialized (
       select id, status, blob is null as gone, invalid_code, uploaded_at, ring_at from datasets
       where subscription_id = ? and id > ? ${indexed.sql}
       order by id limit ?
     ), meant as (
       select id, gone from page where status <> 'deleted' ${rest.sql}
     )
     select (select jsonb_agg(id order by id) from meant where not gone) as ids,
            (select count(*)::int from meant where gone) as "withoutData",
            (select max(id) from page having count(*) = ?) as "afterId"`,
    [subscriptionId, afterId, ...indexed.bindings, limit, ...rest.bindings, limit],
  )
  return { ids: page?.ids ?? [], withoutData: page?.withoutData ?? 0, afterId: page?.afterId ?? null }
}

/**
 * Makes datasets that have their data wait again, to be processed anew, and notes who asked for it. What was counted for
 * them stays counted once.
 *
 * @returns those that do, in key order.
 */
export async function requeueDatasets(
  db: Db,
  keys: readonly DatasetKey[],
  actor: string,
): Promise<DatasetKey[]> {
  const rows = await queryRows<DatasetKey>(
    db,
    `with requeued as (
       update datasets d set ring_at = now() + ${ENQUEUE_TIMEOUT}, rings = 0
       from (
         select d.subscription_id, d.id
         from datasets d join unnest(?::integer[], ?::bigint[]) k (subscription_id, id) using (subscription_id, id)
         where d.blob is not null and d.status <> 'deleted'
         order by d.subscription_id, d.id for update of d
       ) k
       where d.subscription_id = k.subscription_id and d.id = k.id
       returning d.subscription_id, d.id
     ), noted as (
       insert into dataset_events (subscription_id, dataset_id, event, actor)
       select subscription_id, id, 'reprocess_requested', ? from requeued
     )
     select subscription_id as "subscriptionId", id from requeued`,
    [keys.map((key) => key.subscriptionId), keys.map((key) => key.id), actor],
  )
  return rows.toSorted((a, b) => a.subscriptionId - b.subscriptionId || a.id - b.id)
}

/** Those of the datasets that wait to be processed. */
export async function listUnsettled(db: Db, keys: readonly DatasetKey[]): Promise<DatasetKey[]> {
  return queryRows(
    db,
    `select d.subscription_id as "subscriptionId", d.id
     from datasets d join unnest(?::integer[], ?::bigint[]) k (subscription_id, id) using (subscription_id, id)
     where d.ring_at is not null`,
    [keys.map((key) => key.subscriptionId), keys.map((key) => key.id)],
  )
}
