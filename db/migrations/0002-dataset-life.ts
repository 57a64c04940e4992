import type { Knex } from 'knex'

/** Only adds tables and reads none: fast on large databases, and compatible with running processes of the previous version. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- what happened to a dataset after it was received; reads are in insight_requests
    create table dataset_events (
      subscription_id integer not null,
      dataset_id bigint not null,
      id bigint generated always as identity,
      at timestamptz not null default clock_timestamp(),
      event text not null check (event in
        ('ready', 'invalid', 'recalculated', 'info_saved', 'reprocess_requested', 'data_removed', 'deleted')),
      -- who asked for it; null for what a worker did on its own
      actor text,
      -- of a processing: when its job was added to the queue, and when its transaction began
      rung_at timestamptz,
      claimed_at timestamptz,
      detail jsonb,
      primary key (subscription_id, dataset_id, id)
    );

    create table retention_policies (
      subscription_id integer primary key references subscriptions,
      -- days after its upload; null keeps for ever
      dataset_days integer check (dataset_days > 0),
      blob_days integer check (blob_days > 0),
      -- ids up to which the walk has come: ids rise with time, so no index on time is needed
      datasets_through bigint not null default 0,
      blobs_through bigint not null default 0,
      -- ids that the walk passed by because they waited to be processed
      blobs_postponed bigint[] not null default '{}'
    );
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table retention_policies, dataset_events;')
}
