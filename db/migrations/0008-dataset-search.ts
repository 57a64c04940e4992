import type { Knex } from 'knex'
import { dropInvalidIndexes } from './drop-invalid-indexes.ts'

/** Indexes are built concurrently, which no transaction can do: so each step is safe to repeat. */
export const config = { transaction: false }

/**
 * What datasets are searched by, built beside the uploads that go on.
 *
 * Reference numbers are compared byte by byte, so that the index that keeps them unique finds those that begin alike, in
 * whatever locale the database is. Processes of the version before go on: any unique index on the same columns serves
 * `on conflict`. See docs/decisions/0008 for what it costs, and for uploads of one number that meet meanwhile.
 */
export async function up(db: Knex): Promise<void> {
  await dropInvalidIndexes(db, 'datasets')
  await db.raw(`
    create unique index concurrently if not exists datasets_reference on datasets (subscription_id, reference_number collate "C")
  `)
  // the column takes over the collation of the new index, which is kept as it is: no row and no index is read
  await db.transaction(async (trx) => {
    await trx.raw('drop index if exists datasets_reference_number')
    await trx.raw('alter table datasets alter column reference_number type text collate "C"')
  })
  // what was known of the column is gone with its type; of an empty table, nothing known is better than that it is small
  const { rows } = await db.raw('select from datasets limit 1')
  if (rows.length > 0) await db.raw('analyze datasets (reference_number)')
  // identifiers may be long, so hashes of them; the id behind gives the newest first
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
