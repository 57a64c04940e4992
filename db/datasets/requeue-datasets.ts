import type { Actor } from '../audit/actor.ts'
import { ACTOR_COLUMNS, actorValues } from '../audit/actor-columns.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { type DatasetKey, unnestKeys } from './dataset-key.ts'
import { type DatasetSelection, type DatasetStatus, selected } from './datasets.ts'
import { ENQUEUE_TIMEOUT } from './outbox.ts'

/** A page of the selected datasets of a subscription, in order of id. */
export interface SelectedPage {
  /** Those that can be processed again. */
  readonly ids: readonly number[]
  /** How many are selected but have no data any more, since retention removed it. */
  readonly withoutData: number
  /** The `afterId` of the next page; null at the end. */
  readonly afterId: number | null
}

/**
 * Returns the selected datasets among the `limit` datasets after `afterId`.
 *
 * The limit counts datasets read, not found, so that no page takes long, however few are selected.
 */
export async function listSelected(
  db: Db,
  subscriptionId: number,
  { referenceNumbers, status, ...others }: DatasetSelection,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<SelectedPage> {
  // these have an index, so that only matching rows are read
  const indexed = selected({ ...(referenceNumbers && { referenceNumbers }), ...(status && { status }) })
  const [page] = await queryRows<{ ids: number[] | null; withoutData: number; afterId: number | null }>(
    db,
    sql`with page as materialized (
          select id, status, blob is null as gone, invalid_code, uploaded_at, ring_at from datasets
          where subscription_id = ${subscriptionId} and id > ${afterId} ${indexed}
          order by id limit ${limit}
        ), selected as (
          select id, gone from page where status <> 'deleted' ${selected(others)}
        )
        select (select jsonb_agg(id order by id) from selected where not gone) as ids,
               (select count(*)::int from selected where gone) as "withoutData",
               (select max(id) from page having count(*) = ${limit}) as "afterId"`,
  )
  return { ids: page?.ids ?? [], withoutData: page?.withoutData ?? 0, afterId: page?.afterId ?? null }
}

/**
 * Puts datasets that still have their data back into the outbox, to be processed again, and records the request in their
 * timelines. Their velocity is not counted twice.
 *
 * @returns those put back, in key order.
 */
export async function requeueDatasets(
  db: Db,
  keys: readonly DatasetKey[],
  actor: Actor,
): Promise<DatasetKey[]> {
  const rows = await queryRows<DatasetKey>(
    db,
    sql`with requeued as (
          update datasets d set ring_at = now() + ${raw(ENQUEUE_TIMEOUT)}, rings = 0
          from (
            select d.subscription_id, d.id
            from datasets d join ${unnestKeys(keys)} using (subscription_id, id)
            where d.blob is not null and d.status <> 'deleted'
            order by d.subscription_id, d.id for update of d
          ) k
          where d.subscription_id = k.subscription_id and d.id = k.id
          returning d.subscription_id, d.id
        ), recorded as (
          insert into dataset_events (subscription_id, dataset_id, event, ${ACTOR_COLUMNS})
          select subscription_id, id, 'reprocess_requested', ${actorValues(actor)} from requeued
        )
        select subscription_id as "subscriptionId", id from requeued`,
  )
  return rows.toSorted((a, b) => a.subscriptionId - b.subscriptionId || a.id - b.id)
}

/** Returns those of the datasets that wait to be processed, for the first time or again. */
export async function listInOutbox(db: Db, keys: readonly DatasetKey[]): Promise<DatasetKey[]> {
  return queryRows(
    db,
    sql`select d.subscription_id as "subscriptionId", d.id
        from datasets d join ${unnestKeys(keys)} using (subscription_id, id)
        where d.ring_at is not null`,
  )
}

/** The outcome of a request to process one dataset again. */
export type RequeueResult =
  | { readonly outcome: 'requeued' | 'waits_already'; readonly key: DatasetKey }
  | { readonly outcome: 'deleted' | 'without_data' | 'unknown' }

/** Requeues the dataset of a reference number, as `requeueDatasets` does, and records it in the audit log. */
export async function requeueDataset(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
  actor: Actor,
): Promise<RequeueResult> {
  return db.transaction(async (trx) => {
    const [dataset] = await queryRows<{ id: number; status: DatasetStatus; waits: boolean; gone: boolean }>(
      trx,
      sql`select id, status, ring_at is not null as waits, blob is null as gone from datasets
          where subscription_id = ${subscriptionId} and reference_number = ${referenceNumber} for update`,
    )
    if (!dataset) return { outcome: 'unknown' }
    const { id, status, waits, gone } = dataset
    const key = { subscriptionId, id }
    if (status === 'deleted') return { outcome: 'deleted' }
    if (waits) return { outcome: 'waits_already', key }
    if (gone) return { outcome: 'without_data' }
    await requeueDatasets(trx, [key], actor)
    await recordAudit(trx, { subscriptionId, actor, action: 'dataset.reprocess', subject: referenceNumber })
    return { outcome: 'requeued', key }
  })
}

/** Datasets read in one transaction, which takes about a second if all of them are requeued. */
const PAGE_ROWS = 5_000

/** A page of requeued datasets. */
export interface RequeuedPage extends Pick<SelectedPage, 'withoutData' | 'afterId'> {
  readonly keys: readonly DatasetKey[]
  /** Reference number of the last dataset read; null at the end. */
  readonly last: string | null
}

/**
 * Requeues the next page of a subscription's invalid datasets, as `requeueDatasets` does, and records it in the audit log.
 * Skips those that wait already, so that a repeated request changes nothing.
 */
export async function requeueInvalid(
  db: Db,
  subscriptionId: number,
  selection: Pick<DatasetSelection, 'reason' | 'since' | 'until'>,
  { afterId, actor }: { afterId: number; actor: Actor },
): Promise<RequeuedPage> {
  return db.transaction(async (trx) => {
    const page = await listSelected(
      trx,
      subscriptionId,
      { ...selection, status: 'invalid', settled: true },
      { afterId, limit: PAGE_ROWS },
    )
    const { ids, withoutData } = page
    const selectedKeys = ids.map((id) => ({ subscriptionId, id }))
    const keys = ids.length === 0 ? [] : await requeueDatasets(trx, selectedKeys, actor)
    if (keys.length > 0)
      await recordAudit(trx, {
        subscriptionId,
        actor,
        action: 'dataset.reprocess',
        detail: { status: 'invalid', ...selection, datasets: keys.length },
      })
    const last = page.afterId === null ? null : await findReferenceNumber(trx, subscriptionId, page.afterId)
    return { keys, withoutData, afterId: page.afterId, last }
  })
}

async function findReferenceNumber(db: Db, subscriptionId: number, id: number): Promise<string | null> {
  const [row] = await queryRows<{ referenceNumber: string }>(
    db,
    sql`select reference_number as "referenceNumber" from datasets where subscription_id = ${subscriptionId} and id = ${id}`,
  )
  return row?.referenceNumber ?? null
}
