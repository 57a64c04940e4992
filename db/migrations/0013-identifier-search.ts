import type { Knex } from 'knex'
import { dropInvalidIndexes } from './drop-invalid-indexes.ts'

/** Indexes are built concurrently, which no transaction can do: so each step is safe to repeat. */
export const config = { transaction: false }

/**
 * Adds the indexes by which datasets are found by the beginning of an identifier, in either case.
 *
 * Identifiers of captures and clients may be of any length, so an index holds their first 100 characters: as many as a
 * reference number has at most. The collation makes `lower` independent of the database's locale: it maps A to Z only. The
 * negated id gives the newest first among equals, and one row comparison that continues behind a dataset.
 *
 * Processes of the version before use none of them and go on.
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
