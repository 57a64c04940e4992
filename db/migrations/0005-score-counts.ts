import type { Knex } from 'knex'

/** Only adds a table. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- how many datasets a scorecard scored a day, by score and by bin of each characteristic
    create table score_counts (
      subscription_id integer not null references subscriptions,
      code text not null,
      version text not null,
      day date not null,
      -- empty: the score itself, whose bin is the value, or empty where there is none
      characteristic text not null,
      bin text not null,
      datasets integer not null,
      primary key (subscription_id, code, version, day, characteristic, bin)
    );
    -- for what is too old, and for what scored yesterday
    create index score_counts_day on score_counts (day);
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table score_counts;')
}
