import type { Knex } from 'knex'

/**
 * Adds events for other systems, and webhooks that deliver them. Only adds tables: processes of the previous version write no events, so events are
 * complete once none of them runs.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- one row: the number added to ids of transactions, so that positions rise although a restored database begins to count again
    create table event_clock (
      only_row boolean primary key default true check (only_row),
      base bigint not null default 0,
      -- the newest id of a transaction that was seen
      seen bigint not null default 0
    );
    insert into event_clock default values;

    -- subscriptions of which events are recorded
    create table event_recording (
      subscription_id integer primary key references subscriptions,
      started_at timestamptz not null default now(),
      -- up to where old events were removed
      pruned_through bigint not null default 0
    );

    create table events (
      subscription_id integer not null references subscriptions,
      -- of the transaction that wrote the event
      position bigint not null,
      id bigint generated always as identity,
      public_id uuid not null default gen_random_uuid(),
      at timestamptz not null default clock_timestamp(),
      type text not null,
      dataset_id bigint,
      -- for this webhook only
      webhook_id integer,
      data jsonb not null,
      primary key (subscription_id, position, id)
    );

    create table webhooks (
      subscription_id integer not null references subscriptions,
      id integer generated always as identity unique,
      url text not null,
      label text not null,
      -- empty: all
      types text[] not null,
      created_by text not null,
      created_at timestamptz not null default now(),
      disabled_at timestamptz,
      disabled_reason text check (disabled_reason in ('requested', 'failing', 'gone')),
      -- events up to here are delivered, or in webhook_retries
      position bigint not null,
      event_id bigint not null,
      -- events that are delivered again
      replay_position bigint,
      replay_event_id bigint,
      replay_since timestamptz,
      replay_until timestamptz,
      -- since its last success
      failures integer not null default 0,
      failing_since timestamptz,
      due_at timestamptz not null default now(),
      delivered_at timestamptz,
      -- the worker that delivers to it
      leased_by uuid,
      leased_until timestamptz,
      primary key (subscription_id, id)
    );

    create table webhook_secrets (
      subscription_id integer not null,
      webhook_id integer not null,
      id bigint generated always as identity,
      secret bytea not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      primary key (subscription_id, webhook_id, id),
      foreign key (subscription_id, webhook_id) references webhooks on delete cascade
    );

    -- events that were not delivered, and later ones of the same datasets
    create table webhook_retries (
      subscription_id integer not null,
      webhook_id integer not null,
      position bigint not null,
      event_id bigint not null,
      dataset_id bigint,
      -- 0: it waits behind another one of its dataset
      attempts integer not null,
      failed_since timestamptz not null default now(),
      due_at timestamptz not null,
      primary key (subscription_id, webhook_id, position, event_id),
      foreign key (subscription_id, webhook_id) references webhooks on delete cascade
    );

    create table webhook_deliveries (
      subscription_id integer not null,
      webhook_id integer not null,
      id bigint generated always as identity,
      at timestamptz not null default now(),
      event_public_id uuid not null,
      type text not null,
      attempt integer not null,
      outcome text not null check (outcome in ('delivered', 'failed', 'given_up')),
      status integer,
      -- the first bytes of the answer, or why there is none
      answer text not null,
      ms integer not null,
      primary key (subscription_id, webhook_id, id),
      foreign key (subscription_id, webhook_id) references webhooks on delete cascade
    );
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table webhook_deliveries, webhook_retries, webhook_secrets, webhooks, events, event_recording, event_clock;
  `)
}
