import type { Knex } from 'knex'
import { dropInvalidIndexes } from './drop-invalid-indexes.ts'

/** Indexes are dropped and built concurrently, which is not possible in a transaction: each step is safe to repeat. */
export const config = { transaction: false }

/**
 * Drops the indexes on hashes of devices and clients: the indexes of the search by an identifier answer the exact filters too. An upload and its
 * processing write three index entries less. See docs/decisions/0015.
 *
 * Deferred: processes of the previous version search by these indexes.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw('drop index concurrently if exists datasets_device')
  await db.raw('drop index concurrently if exists datasets_client')
}

export async function down(db: Knex): Promise<void> {
  await dropInvalidIndexes(db, 'datasets')
  await db.raw(`
    create index concurrently if not exists datasets_device
      on datasets (subscription_id, hashtextextended(device_id, 0), id) where device_id is not null
  `)
  await db.raw(`
    create index concurrently if not exists datasets_client
      on datasets (subscription_id, hashtextextended(additional_info ->> 'clientId', 0), id)
      where additional_info ->> 'clientId' is not null
  `)
}
