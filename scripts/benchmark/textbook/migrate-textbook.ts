import { type Db, queryRows } from '../../../db/postgres/database.ts'

/**
 * Creates the textbook's tables in a separate schema; both systems share the tables of accounts and scorecards.
 *
 * Normalised: one row per score and per fragment, and an index for each query. The upload is a bytea with Postgres's
 * default storage.
 */
export async function migrateTextbook(db: Db): Promise<void> {
  await queryRows(
    db,
    `create schema textbook;

     create table textbook.datasets (
       id bigint generated always as identity primary key,
       subscription_id integer not null references subscriptions,
       reference_number text not null,
       status text not null default 'received',
       data_hash bytea not null,
       data bytea not null,
       real_ip text,
       additional_info jsonb not null default '{}',
       uploaded_at timestamptz not null default now(),
       settled_at timestamptz,
       platform text,
       device_id text,
       invalid_detail text,
       unique (subscription_id, reference_number)
     );
     create index on textbook.datasets (id) where status = 'received';

     create table textbook.scores (
       dataset_id bigint not null references textbook.datasets on delete cascade,
       code text not null,
       version text not null,
       value integer,
       probability double precision,
       explanation jsonb not null,
       primary key (dataset_id, code)
     );
     create table textbook.fragments (
       dataset_id bigint not null references textbook.datasets on delete cascade,
       code text not null,
       place integer not null,
       value jsonb not null,
       primary key (dataset_id, code)
     );
     create table textbook.features (
       dataset_id bigint primary key references textbook.datasets on delete cascade,
       values jsonb not null
     );
     create table textbook.insight_requests (
       id bigint generated always as identity primary key,
       dataset_id bigint not null references textbook.datasets on delete cascade,
       requested_at timestamptz not null default now(),
       requestor text not null,
       address text
     );
     create index on textbook.insight_requests (dataset_id);

     create table textbook.devices (
       subscription_id integer not null,
       device_id text not null,
       datasets integer not null,
       clients integer not null default 0,
       primary key (subscription_id, device_id)
     );
     create table textbook.clients (
       subscription_id integer not null,
       client_id text not null,
       datasets integer not null,
       devices integer not null default 0,
       primary key (subscription_id, client_id)
     );
     create table textbook.client_devices (
       subscription_id integer not null,
       client_id text not null,
       device_id text not null,
       primary key (subscription_id, client_id, device_id)
     );
     create table textbook.sightings (
       id bigint generated always as identity primary key,
       subscription_id integer not null,
       kind text not null,
       identifier text not null,
       at timestamptz not null
     );
     create index on textbook.sightings (subscription_id, kind, identifier, at);`,
  )
}
