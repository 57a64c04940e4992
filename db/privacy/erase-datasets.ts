import type { Actor } from '../audit/actor.ts'
import { type DatasetKey, unnestKeys } from '../datasets/dataset-key.ts'
import { deleteDatasets } from '../datasets/delete-datasets.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/**
 * Deletes datasets so that nothing names their person: as `deleteDatasets` does, with their timelines and recorded reads. The tombstone keeps
 * the time of the upload, and has a random reference number: the number that it had is free again.
 */
export async function eraseDatasets(trx: Db, keys: readonly DatasetKey[], actor: Actor): Promise<void> {
  await deleteDatasets(trx, keys, actor)
  await Promise.all([
    queryRows(
      trx,
      sql`delete from dataset_events e using ${unnestKeys(keys)}
          where e.subscription_id = k.subscription_id and e.dataset_id = k.id`,
    ),
    queryRows(
      trx,
      sql`delete from insight_requests r using ${unnestKeys(keys)}
          where r.subscription_id = k.subscription_id and r.dataset_id = k.id`,
    ),
    queryRows(
      trx,
      sql`update datasets d set reference_number = 'erased-' || gen_random_uuid()
          from ${unnestKeys(keys)} where d.subscription_id = k.subscription_id and d.id = k.id`,
    ),
  ])
}
