import type { Knex } from 'knex'
import { dropInvalidIndexes } from './drop-invalid-indexes.ts'

/** Indexes are built concurrently, which is not possible in a transaction: each step is safe to repeat. */
export const config = { transaction: false }

/**
 * Adds the requests of persons to export and erase their data, the indexes that find what is stored of them, and a default retention
 * of captures.
 *
 * Captures of existing subscriptions without a retention policy are removed after two years, from 30 days after the migration: time to decide
 * otherwise. Processes of the previous version go on: to them these captures are stored indefinitely, and they read none of the new columns.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- requests to export or erase what is stored of a person
    create table if not exists privacy_requests (
      subscription_id integer not null references subscriptions,
      id uuid not null default gen_random_uuid(),
      kind text not null check (kind in ('export', 'erase')),
      person_kind text not null check (person_kind in ('client', 'device')),
      -- keyed hash of the identifier, with the secret of privacy_secrets
      person_hash bytea not null,
      -- of an erasure that is not finished; null afterwards
      identifier text,
      state text not null check (state in ('running', 'finished', 'failed')),
      -- of a running erasure: what the next step works on, and whether it has to wait
      phase text check (phase in ('datasets', 'counters', 'own')),
      waiting boolean not null default false,
      -- id of the newest dataset when an erasure was requested
      horizon bigint not null default 0,
      -- datasets that were found at the request, and that are done
      total integer not null default 0,
      datasets integer not null default 0,
      collections integer not null default 0,
      requested_at timestamptz not null default now(),
      finished_at timestamptz,
      actor text not null,
      actor_kind text not null,
      actor_id bigint,
      primary key (subscription_id, id)
    );
    create index if not exists privacy_requests_newest on privacy_requests (subscription_id, requested_at, id);
    create index if not exists privacy_requests_running on privacy_requests (requested_at)
      where kind = 'erase' and state = 'running';

    -- identifiers of the other kind that were seen with those of a running erasure
    create table if not exists erasure_counters (
      subscription_id integer not null,
      request_id uuid not null,
      -- SHA-256 of the identifier
      hash bytea not null,
      identifier text not null,
      primary key (subscription_id, request_id, hash),
      foreign key (subscription_id, request_id) references privacy_requests on delete cascade
    );

    -- secret of the subscription for the keyed hashes that requests and the audit log name persons by
    create table if not exists privacy_secrets (
      subscription_id integer primary key references subscriptions,
      secret bytea not null
    );

    alter table subscriptions add column if not exists deleted_at timestamptz;

    alter table retention_policies
      alter column blob_days set default 730,
      -- when blob_days, null until then, gets its default; null if there is nothing to wait for
      add column if not exists blobs_from timestamptz;
    insert into retention_policies (subscription_id, blob_days, blobs_from)
      select id, null, now() + interval '30 days' from subscriptions on conflict do nothing;
  `)
  await dropInvalidIndexes(db, 'client_devices')
  await dropInvalidIndexes(db, 'collections')
  await db.raw(`
    create index concurrently if not exists client_devices_device on client_devices (subscription_id, device_key)
  `)
  await db.raw(`
    create index concurrently if not exists collections_open_device
      on collections (subscription_id, hashtextextended(device_id, 0), id) where dataset_id is null and device_id is not null
  `)
  await db.raw(`
    create index concurrently if not exists collections_open_client
      on collections (subscription_id, hashtextextended(additional_info ->> 'clientId', 0), id)
      where dataset_id is null and additional_info ->> 'clientId' is not null
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop index concurrently if exists collections_open_client')
  await db.raw('drop index concurrently if exists collections_open_device')
  await db.raw('drop index concurrently if exists client_devices_device')
  await db.raw(`
    alter table retention_policies drop column if exists blobs_from, alter column blob_days drop default;
    alter table subscriptions drop column if exists deleted_at;
    drop table if exists erasure_counters, privacy_requests, privacy_secrets;
  `)
}
