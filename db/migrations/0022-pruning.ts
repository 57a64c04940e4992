import type { Knex } from 'knex'

/** Only adds a table: processes of the previous version do not read it. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- the place in dataset_events up to which old events were removed: one row
    create table event_pruning (
      only_row boolean primary key default true check (only_row),
      subscription_id integer not null default 0,
      dataset_id bigint not null default 0,
      event_id bigint not null default 0
    );
    insert into event_pruning default values;
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table event_pruning;')
}
