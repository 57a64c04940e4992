import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { type DatasetKey, unnestKeys } from './dataset-key.ts'

/**
 * Takes new datasets out of the outbox for some seconds: nothing processes them until `releaseDelayed` puts them back, also if their insight is
 * read. Call it in the transaction that receives them.
 */
export async function delayDatasets(trx: Db, keys: readonly DatasetKey[], seconds: number): Promise<void> {
  await queryRows(
    trx,
    sql`with delayed as (
          update datasets d set ring_at = null from ${unnestKeys(keys)}
          where d.subscription_id = k.subscription_id and d.id = k.id
          returning d.subscription_id, d.id
        )
        insert into delayed_datasets (subscription_id, dataset_id, due_at)
        select subscription_id, id, now() + make_interval(secs => ${seconds}) from delayed`,
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
