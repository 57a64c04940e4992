import type { Knex } from 'knex'

/** Only adds tables. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- what a version would say of stored captures, asked for by the API and found out by a worker
    create table scorecard_trials (
      subscription_id integer not null references subscriptions,
      id bigint generated always as identity,
      code text not null,
      version text not null,
      asked_by text not null,
      asked_at timestamptz not null default clock_timestamp(),
      captures integer not null,
      state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
      -- captures scored so far
      progress integer not null default 0,
      result json,
      -- why it failed, for a person
      error text,
      -- of the worker that has it; another may take it once this is too long ago
      claimed_at timestamptz,
      attempts integer not null default 0,
      ended_at timestamptz,
      primary key (subscription_id, id),
      foreign key (subscription_id, version) references scorecard_versions
    );
    create index scorecard_trials_version on scorecard_trials (subscription_id, code, version, id);
    -- one at a time of a version; and the few rows that workers look at every second
    create unique index scorecard_trials_open on scorecard_trials (subscription_id, code, version)
      where state in ('waiting', 'running');

    -- how far the scores of a day have shifted, as workers measure it every ten minutes
    create table score_stability (
      subscription_id integer not null references subscriptions,
      code text not null,
      version text not null,
      day date not null,
      psi double precision not null,
      mark text not null,
      -- of the characteristics that have shifted most
      characteristics json not null,
      primary key (subscription_id, code, version, day)
    );
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table score_stability, scorecard_trials;')
}
