import type { Actor } from '../audit/actor.ts'
import { ACTOR_COLUMNS, actorValues } from '../audit/actor-columns.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { recordingOf } from '../events/record-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { DELETED } from './dataset-feed.ts'
import { type DatasetKey, unnestKeys } from './dataset-key.ts'
import type { DatasetStatus } from './datasets.ts'

/**
 * Deletes datasets: their data and all results are gone with the transaction. A tombstone stays, so that their reference numbers
 * are never used again. Velocity counts do not change.
 *
 * Waits for a worker that is processing one of them; a later worker finds nothing to claim.
 *
 * @param actor the requester, for their timelines.
 * @returns those that were not deleted before.
 */
export async function deleteDatasets(
  trx: Db,
  keys: readonly DatasetKey[],
  actor: Actor,
): Promise<DatasetKey[]> {
  const deleted = await queryRows<DatasetKey>(
    trx,
    sql`update datasets d set status = 'deleted', data_hash = '', blob = null, real_ip = null, additional_info = '{}',
          sealed_ip = null, sealed_info = null,
          platform = null, device_id = null, velocity = null, invalid_code = null, invalid_detail = null,
          ring_at = null, rings = 0, collection_id = null
        from (
          select d.subscription_id, d.id
          from datasets d join ${unnestKeys(keys)} using (subscription_id, id)
          where d.status <> 'deleted'
          order by d.subscription_id, d.id for update of d
        ) k
        where d.subscription_id = k.subscription_id and d.id = k.id
        returning d.subscription_id as "subscriptionId", d.id`,
  )
  if (deleted.length === 0) return []
  // separate statements: they see what a worker committed while the first one waited for its lock
  await Promise.all([
    queryRows(
      trx,
      sql`with deleted as (
            select d.subscription_id, d.id, d.reference_number
            from datasets d join ${unnestKeys(deleted)} using (subscription_id, id)
          ) ${raw(recordingOf(DELETED))}`,
    ),
    // with its segments, where a browser collected the dataset
    queryRows(
      trx,
      sql`delete from collections c using ${unnestKeys(deleted)}
          where c.subscription_id = k.subscription_id and c.dataset_id = k.id`,
    ),
    queryRows(
      trx,
      sql`delete from insights i using ${unnestKeys(deleted)}
          where i.subscription_id = k.subscription_id and i.dataset_id = k.id`,
    ),
    // details contain names of info keys, and why data could not be decoded
    queryRows(
      trx,
      sql`update dataset_events e set detail = null from ${unnestKeys(deleted)}
          where e.subscription_id = k.subscription_id and e.dataset_id = k.id and e.detail is not null`,
    ),
    queryRows(
      trx,
      sql`insert into dataset_events (subscription_id, dataset_id, event, ${ACTOR_COLUMNS})
          select subscription_id, id, 'deleted', ${actorValues(actor)} from ${unnestKeys(deleted)}`,
    ),
  ])
  return deleted
}

/** Deletes the dataset of a reference number, as `deleteDatasets` does, and records it in the audit log. */
export async function deleteDataset(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
  actor: Actor,
): Promise<'deleted' | 'deleted_before' | 'unknown'> {
  return db.transaction(async (trx) => {
    const [dataset] = await queryRows<{ id: number; status: DatasetStatus }>(
      trx,
      sql`select id, status from datasets
          where subscription_id = ${subscriptionId} and reference_number = ${referenceNumber}`,
    )
    if (!dataset) return 'unknown'
    const deleted = await deleteDatasets(trx, [{ subscriptionId, id: dataset.id }], actor)
    if (deleted.length === 0) return 'deleted_before'
    await recordAudit(trx, { subscriptionId, actor, action: 'dataset.delete', subject: referenceNumber })
    return 'deleted'
  })
}
