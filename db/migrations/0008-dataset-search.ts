import type { Knex } from 'knex'
import { dropInvalidIndexes } from './drop-invalid-indexes.ts'

/** Indexes are built concurrently, which is not possible in a transaction: each step is safe to repeat. */
export const config = { transaction: false }

/**
 * Adds the indexes of the dataset search, built while uploads continue.
 *
 * Reference numbers are compared byte by byte, so that their unique index finds prefixes in any locale of the database. Compatible
 * with running processes of the previous version: any unique index on the same columns serves `on conflict`. See
 * docs/decisions/0008 for the cost, and for concurrent uploads of one number meanwhile.
 */
export async function up(db: Knex): Promise<void> {
  await dropInvalidIndexes(db, 'datasets')
  await db.raw(`
    create unique index concurrently if not exists datasets_reference on datasets (subscription_id, reference_number collate "C")
  `)
  // the column takes the collation of the new index, which stays valid: no row and no index is read
  await db.transaction(async (trx) => {
    await trx.raw('drop index if exists datasets_reference_number')
    await trx.raw('alter table datasets alter column reference_number type text collate "C"')
  })
  // the statistics of the column are gone with its type; for an empty table, none are better than those of a small one
  const { rows } = await db.raw('select from datasets limit 1')
  if (rows.length > 0) await db.raw('analyze datasets (reference_number)')
  // hashes, since identifiers may be long; the id after them gives the newest first
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

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index concurrently if exists datasets_device')
  await db.raw('drop index concurrently if exists datasets_client')
  await db.raw('drop index concurrently if exists datasets_reference_number')
  await db.raw(`
    create unique index concurrently datasets_reference_number
      on datasets (subscription_id, reference_number collate "default")
  `)
  await db.transaction(async (trx) => {
    await trx.raw('drop index if exists datasets_reference')
    await trx.raw('alter table datasets alter column reference_number type text collate "default"')
  })
}
