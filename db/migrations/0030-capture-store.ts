import type { Knex } from 'knex'
import { dropInvalidIndexes } from './drop-invalid-indexes.ts'

/** An index is built concurrently, which is not possible in a transaction: each step is safe to repeat. */
export const config = { transaction: false }

/**
 * Prepares for captures in object storage, whose rows have a reference of 28 bytes instead of the blob: bytes 1 to 4 say so, 9 to 24 are the id of
 * the object. Without object storage, no row is in the index, and the triggers call nothing.
 *
 * Compatible with running processes of the previous version, which cannot read such captures: set CAPTURE_STORE_URL once none runs.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- objects to remove, since no row refers to them any more; without a foreign key, for they outlive their subscription
    create table if not exists capture_removals (
      id bigint generated always as identity primary key,
      subscription_id integer not null,
      -- null if it was never a dataset's
      dataset_id bigint,
      object_id bytea not null,
      due_at timestamptz not null
    );
    create index if not exists capture_removals_due on capture_removals (due_at);
    create index if not exists capture_removals_dataset on capture_removals (subscription_id, dataset_id);

    -- the name of the object up to which orphans were removed: one row
    create table if not exists capture_sweep (
      only_row boolean primary key default true check (only_row),
      through text not null default ''
    );
    insert into capture_sweep default values on conflict do nothing;

    create or replace function list_capture_removal() returns trigger
    language plpgsql set search_path = public, pg_temp as $$
    begin
      insert into capture_removals (subscription_id, dataset_id, object_id, due_at)
      -- an object that was replaced is still being read
      select old.subscription_id, old.id, substr(old.blob, 9, 16),
             now() + case when tg_op = 'UPDATE' and new.blob is not null then interval '1 hour' else interval '0' end;
      return null;
    end $$;
    create or replace trigger capture_replaced after update of blob on datasets for each row
      when (octet_length(old.blob) = 28 and substr(old.blob, 1, 4) = '\\x8e494b02' and old.blob is distinct from new.blob)
      execute function list_capture_removal();
    create or replace trigger capture_deleted after delete on datasets for each row
      when (octet_length(old.blob) = 28 and substr(old.blob, 1, 4) = '\\x8e494b02')
      execute function list_capture_removal();
  `)
  await dropInvalidIndexes(db, 'datasets')
  await db.raw(`
    create index concurrently if not exists datasets_capture_objects
      on datasets (subscription_id, substr(blob, 9, 16)) where octet_length(blob) = 28
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index concurrently if exists datasets_capture_objects')
  await db.raw(`
    drop trigger capture_replaced on datasets;
    drop trigger capture_deleted on datasets;
    drop function list_capture_removal;
    drop table capture_removals, capture_sweep;
  `)
}
