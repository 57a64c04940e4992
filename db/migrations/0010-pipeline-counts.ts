import type { Knex } from 'knex'

/** Only adds a table. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- what came in and what became of it, a row for each minute of a subscription in which something did
    create table pipeline_counts (
      subscription_id integer not null references subscriptions,
      minute timestamptz not null,
      -- uploaded in this minute
      uploads integer not null,
      -- settled in this minute, each dataset when it first was
      ready integer not null,
      -- reason to datasets
      invalid jsonb not null,
      -- of all that was settled: step on the scale of latencies to datasets
      latencies jsonb not null,
      primary key (subscription_id, minute)
    -- rows change for as long as their minute lasts, in place
    ) with (fillfactor = 70);
    -- for what is too old
    create index pipeline_counts_minute on pipeline_counts (minute);
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table pipeline_counts;')
}
