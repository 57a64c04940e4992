import type { Knex } from 'knex'
import { dropInvalidIndexes } from './drop-invalid-indexes.ts'

/** Indexes are built concurrently, which is not possible in a transaction: each step is safe to repeat. */
export const config = { transaction: false }

/**
 * Adds the indexes of the search by the beginning of an identifier, in either case.
 *
 * Identifiers of captures and clients may have any length, so an index contains their first 100 characters, the maximum of a
 * reference number. The collation makes `lower` independent of the database's locale: it maps A to Z only. The negated id gives
 * the newest first among equals, and one row comparison to continue after a dataset.
 *
 * Compatible with running processes of the previous version, which do not use them.
 */
export async function up(db: Knex): Promise<void> {
  await dropInvalidIndexes(db, 'datasets')
  await db.raw(`
    create index concurrently if not exists datasets_reference_search
      on datasets (subscription_id, lower(reference_number collate "C"), (-id))
  `)
  await db.raw(`
    create index concurrently if not exists datasets_client_search
      on datasets (subscription_id, lower(left(additional_info ->> 'clientId', 100) collate "C"), (-id))
      where additional_info ->> 'clientId' is not null
  `)
  await db.raw(`
    create index concurrently if not exists datasets_device_search
      on datasets (subscription_id, lower(left(device_id, 100) collate "C"), (-id)) where device_id is not null
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index concurrently if exists datasets_reference_search')
  await db.raw('drop index concurrently if exists datasets_client_search')
  await db.raw('drop index concurrently if exists datasets_device_search')
}
