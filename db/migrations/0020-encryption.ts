import type { Knex } from 'knex'

/**
 * Only adds tables, and columns without a default, which is instant: processes of the previous version do not read them.
 *
 * They cannot read what is encrypted either. Where the database has subscriptions already, encryption therefore begins a day later, or when an
 * operator says that none of them runs any more: `scripts/admin data-key start`.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- when new data is encrypted from on; one row
    create table encryption_start (starts_at timestamptz not null);
    insert into encryption_start
      select case when exists (select from subscriptions) then now() + interval '1 day' else now() end;

    -- keys of subscriptions, wrapped by a key of DATA_ENCRYPTION_KEYS
    create table data_keys (
      subscription_id integer not null references subscriptions,
      -- data: encrypts it; velocity: secret of the keyed hashes that velocity counts by
      use text not null check (use in ('data', 'velocity')),
      version integer not null,
      -- null once it was destroyed
      wrapped bytea,
      -- id of the wrapping key
      wrapped_by text not null,
      created_at timestamptz not null default now(),
      primary key (subscription_id, use, version)
    );

    -- how far the data of before has been converted
    create table encryption_progress (
      subscription_id integer primary key references subscriptions,
      -- SHA-256 up to which keys of velocity are keyed hashes
      velocity_through bytea not null default '',
      datasets_through bigint not null default 0,
      collections_through bigint not null default 0,
      -- when all datasets and collections were sealed with the newest key
      converted_at timestamptz
    );

    -- the values that are null in additional_info, and the address; one that came with a collection is sealed by itself
    alter table datasets add column sealed_ip bytea, add column sealed_info bytea;
    alter table datasets alter column sealed_info set storage external;
    alter table collections add column sealed_opened_address bytea, add column sealed_completed_address bytea,
      add column sealed_info bytea;
    alter table collections alter column sealed_info set storage external;
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table collections drop column sealed_opened_address, drop column sealed_completed_address, drop column sealed_info;
    alter table datasets drop column sealed_ip, drop column sealed_info;
    drop table encryption_progress, data_keys, encryption_start;
  `)
}
