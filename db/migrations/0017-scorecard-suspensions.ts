import type { Knex } from 'knex'

/** Adds the suspension of a version, and the marks of processes that have not evaluated a version yet. No table is rewritten. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table scorecard_versions
      add column suspended_at timestamptz,
      -- slow: a row took too long; died: processes ended while they evaluated it first
      add column suspended_because text check (suspended_because in ('slow', 'died'));

    -- is deleted once the process has evaluated the version
    create table scorecard_first_runs (
      subscription_id integer not null,
      version text not null,
      process uuid not null,
      started_at timestamptz not null default clock_timestamp(),
      primary key (subscription_id, version, process),
      foreign key (subscription_id, version) references scorecard_versions on delete cascade
    );
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table scorecard_first_runs;
    alter table scorecard_versions drop column suspended_at, drop column suspended_because;
  `)
}
