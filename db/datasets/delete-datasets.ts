import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import type { DatasetKey } from './dataset-key.ts'
import type { DatasetStatus } from './datasets.ts'

/**
 * Deletes datasets: what was uploaded and all that was computed of it is gone with the transaction, and a tombstone stays, so
 * that their reference numbers are never used again. They keep having been counted in velocity.
 *
 * A worker that is at one of them is waited for, or finds nothing to claim.
 *
 * @param actor who wants it, for their timelines.
 * @returns those that were not deleted before.
 */
export async function deleteDatasets(
  trx: Db,
  keys: readonly DatasetKey[],
  actor: string,
): Promise<DatasetKey[]> {
  const deleted = await queryRows<DatasetKey>(
    trx,
    `update datasets d set status = 'deleted', data_hash = '', blob = null, real_ip = null, additional_info = '{}',
       platform = null, device_id = null, velocity = null, invalid_code = null, invalid_detail = null,
       ring_at = null, rings = 0
     from (
       select d.subscription_id, d.id
       from datasets d join unnest(?::integer[], ?::bigint[]) k (subscription_id, id) using (subscription_id, id)
       where d.status <> 'deleted'
       order by d.subscription_id, d.id for update of d
     ) k
     where d.subscription_id = k.subscription_id and d.id = k.id
     returning d.subscription_id as "subscriptionId", d.id`,
    [keys.map((key) => key.subscriptionId), keys.map((key) => key.id)],
  )
  if (deleted.length === 0) return []
  // statements of their own: they see what a worker committed while the first one waited for its lock
  const bindings = [deleted.map((key) => key.subscriptionId), deleted.map((key) => key.id)]
  await Promise.all([
    queryRows(
      trx,
      `delete from insights i using unnest(?::integer[], ?::bigint[]) k (subscription_id, id)
       where i.subscription_id = k.subscription_id and i.dataset_id = k.id`,
      bindings,
    ),
    // names of info keys, and why data could not be decoded
    queryRows(
      trx,
      `update dataset_events e set detail = null from unnest(?::integer[], ?::bigint[]) k (subscription_id, id)
       where e.subscription_id = k.subscription_id and e.dataset_id = k.id and e.detail is not null`,
      bindings,
    ),
    queryRows(
      trx,
      `insert into dataset_events (subscription_id, dataset_id, event, actor)
       select subscription_id, id, 'deleted', ? from unnest(?::integer[], ?::bigint[]) k (subscription_id, id)`,
      [actor, ...bindings],
    ),
  ])
  return deleted
}

/** Deletes the dataset of a reference number, as `deleteDatasets` does, and records that for the audit. */
export async function deleteDataset(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
  actor: string,
): Promise<'deleted' | 'deleted_before' | 'unknown'> {
  return db.transaction(async (trx) => {
    const [dataset] = await queryRows<{ id: number; status: DatasetStatus }>(
      trx,
      'select id, status from datasets where subscription_id = ? and reference_number = ?',
      [subscriptionId, referenceNumber],
    )
    if (!dataset) return 'unknown'
    const deleted = await deleteDatasets(trx, [{ subscriptionId, id: dataset.id }], actor)
    if (deleted.length === 0) return 'deleted_before'
    await recordAudit(trx, { subscriptionId, actor, action: 'dataset.delete', subject: referenceNumber })
    return 'deleted'
  })
}
