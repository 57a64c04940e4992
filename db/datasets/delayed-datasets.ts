import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import type { DatasetKey } from './dataset-key.ts'

/**
 * Takes a new dataset out of the outbox for some seconds: nothing processes it until `releaseDelayed` puts it back, also if its insight is read.
 * Call it in the transaction that receives the dataset.
 */
export async function delayDataset(
  trx: Db,
  { subscriptionId, id }: DatasetKey,
  seconds: number,
): Promise<void> {
  await queryRows(
    trx,
    sql`update datasets set ring_at = null where subscription_id = ${subscriptionId} and id = ${id}`,
  )
  await queryRows(
    trx,
    sql`insert into delayed_datasets (subscription_id, dataset_id, due_at)
        values (${subscriptionId}, ${id}, now() + make_interval(secs => ${seconds}))`,
  )
}

/**
 * Puts the delayed datasets that are due into the outbox, with an expired enqueue timeout: the relay enqueues them next. Those that were deleted
 * meanwhile stay deleted. Safe with several relays at once.
 */
export async function releaseDelayed(db: Db): Promise<void> {
  await queryRows(
    db,
    sql`with due as (
          delete from delayed_datasets where due_at <= now() returning subscription_id, dataset_id as id
        )
        update datasets d set ring_at = now() from due
        where d.subscription_id = due.subscription_id and d.id = due.id and d.status = 'received' and d.ring_at is null`,
  )
}
