import type { Knex } from 'knex'

/** Only adds tables and a column without a default: processes of the previous version do not read them, and count nothing. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- addresses and networks that may use the key; null: all
    alter table api_keys add column allowed_networks text[];

    -- limits that an operator set; null: the default of the environment, 0: none
    create table limits (
      subscription_id integer not null references subscriptions,
      -- 0: the subscription as a whole
      key_id integer not null,
      requests_per_second integer check (requests_per_second >= 0),
      burst integer check (burst >= 0),
      datasets_per_day bigint check (datasets_per_day >= 0),
      bytes_stored bigint check (bytes_stored >= 0),
      primary key (subscription_id, key_id)
    );

    -- use on a day in UTC
    create table usage_days (
      subscription_id integer not null references subscriptions,
      -- 0: the subscription as a whole
      key_id integer not null,
      day date not null,
      requests bigint not null default 0,
      datasets bigint not null default 0,
      primary key (subscription_id, key_id, day)
    ) with (fillfactor = 50);

    create table stored_bytes (
      subscription_id integer primary key references subscriptions,
      -- captures and segments, as measured, with those received since
      bytes bigint not null default 0,
      measured_at timestamptz,
      -- when an upload was last rejected for them
      wanted_at timestamptz,
      -- of the measurement in progress, null otherwise: the last dataset to measure, those measured, their bytes, bytes received since it began
      scan_until bigint,
      scan_through bigint not null default 0,
      scan_bytes bigint not null default 0,
      scan_received bigint not null default 0
    ) with (fillfactor = 50);
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table stored_bytes, usage_days, limits;
    alter table api_keys drop column allowed_networks;
  `)
}
