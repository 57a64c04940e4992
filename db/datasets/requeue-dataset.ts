import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import type { DatasetKey } from './dataset-key.ts'
import type { DatasetStatus } from './datasets.ts'
import { requeueDatasets } from './requeue-datasets.ts'

/** What became of the wish to process one dataset again. */
export type Requeued =
  | { readonly outcome: 'requeued' | 'waits_already'; readonly key: DatasetKey }
  | { readonly outcome: 'deleted' | 'without_data' | 'unknown' }

/** Makes the dataset of a reference number wait again, as `requeueDatasets` does, and records that for the audit. */
export async function requeueDataset(
  db: Db,
  subscriptionId: number,
  referenceNumber: string,
  actor: string,
): Promise<Requeued> {
  return db.transaction(async (trx) => {
    const [dataset] = await queryRows<{ id: number; status: DatasetStatus; waits: boolean; gone: boolean }>(
      trx,
      `select id, status, ring_at is not null as waits, blob is null as gone
       from datasets where subscription_id = ? and reference_number = ? for update`,
      [subscriptionId, referenceNumber],
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
