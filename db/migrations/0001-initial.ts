import type { Knex } from 'knex'

export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table subscriptions (
      id integer generated always as identity primary key,
      name text not null unique,
      suspended_at timestamptz,
      created_at timestamptz not null default now()
    );

    create table users (
      subscription_id integer not null references subscriptions,
      id integer generated always as identity,
      -- in lower case; across subscriptions, since a login names no subscription
      email text not null unique,
      password_hash text not null,
      role text not null check (role in ('admin', 'analyst')),
      disabled_at timestamptz,
      created_at timestamptz not null default now(),
      primary key (subscription_id, id)
    );

    -- a login and all tokens refreshed from it
    create table sessions (
      subscription_id integer not null,
      id uuid not null,
      user_id integer not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      revoked_at timestamptz,
      primary key (subscription_id, id),
      foreign key (subscription_id, user_id) references users
    );

    create table refresh_tokens (
      token_hash bytea primary key,
      subscription_id integer not null,
      session_id uuid not null,
      created_at timestamptz not null default now(),
      used_at timestamptz,
      foreign key (subscription_id, session_id) references sessions on delete cascade
    );
    create index refresh_tokens_session on refresh_tokens (subscription_id, session_id);

    create table api_keys (
      subscription_id integer not null references subscriptions,
      id integer generated always as identity,
      key_hash bytea not null unique,
      role text not null check (role in ('uploader', 'requester')),
      label text,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz,
      primary key (subscription_id, id)
    );
    create unique index api_keys_id on api_keys (id);

    -- the shape that rate-limiter-flexible expects
    create table login_attempts (
      key varchar(255) primary key,
      points integer not null default 0,
      expire bigint
    );

    -- only where TOKEN_SIGNING_KEYS is not set
    create table token_keys (
      kid text primary key,
      private_jwk jsonb not null,
      created_at timestamptz not null default now()
    );

    create table datasets (
      subscription_id integer not null references subscriptions,
      id bigint generated always as identity,
      reference_number text not null,
      status text not null default 'received' check (status in ('received', 'ready', 'invalid', 'deleted')),
      data_hash bytea not null,
      blob bytea,
      real_ip text,
      additional_info jsonb not null default '{}',
      uploaded_at timestamptz not null default clock_timestamp(),
      -- when the relay rings for it again; null when nothing waits to be done
      ring_at timestamptz,
      rings integer not null default 0,
      settled_at timestamptz,
      platform text,
      device_id text,
      -- what was counted for it, once; null until then
      velocity jsonb,
      invalid_code text,
      invalid_detail text,
      primary key (subscription_id, id)
    );
    -- the blob is gzip already: store it out of line as it is, and keep the rows narrow
    alter table datasets alter column blob set storage external;
    alter table datasets set (toast_tuple_target = 128);
    create unique index datasets_reference_number on datasets (subscription_id, reference_number);
    create index datasets_waiting on datasets (ring_at) where ring_at is not null;
    create index datasets_status on datasets (subscription_id, status, id) where status <> 'ready';

    create table insights (
      subscription_id integer not null,
      dataset_id bigint not null,
      calculated_at timestamptz not null default clock_timestamp(),
      -- json, not jsonb: they are sent as they were written
      scores json not null,
      fragments json not null,
      features json not null,
      explanations json not null,
      primary key (subscription_id, dataset_id),
      foreign key (subscription_id, dataset_id) references datasets on delete cascade
    );

    create table insight_requests (
      subscription_id integer not null,
      id bigint generated always as identity,
      -- null: no dataset has this reference number
      dataset_id bigint,
      reference_number text not null,
      requested_at timestamptz not null,
      requestor text not null,
      address text,
      primary key (subscription_id, id)
    );
    create index insight_requests_dataset on insight_requests (subscription_id, dataset_id);

    -- Keys of velocity are SHA-256 of the identifier: of one size whatever is sent, and naming nobody.
    create table devices (
      subscription_id integer not null,
      device_key bytea not null,
      datasets integer not null,
      clients integer not null default 0,
      primary key (subscription_id, device_key)
    );
    create table clients (
      subscription_id integer not null,
      client_key bytea not null,
      datasets integer not null,
      devices integer not null default 0,
      primary key (subscription_id, client_key)
    );
    create table client_devices (
      subscription_id integer not null,
      client_key bytea not null,
      device_key bytea not null,
      primary key (subscription_id, client_key, device_key)
    );
    -- one row per counted dataset and identifier; \`place\` runs from 1 and never falls behind \`at\`
    create table sightings (
      subscription_id integer not null,
      kind text not null check (kind in ('device', 'client')),
      key bytea not null,
      at timestamptz not null,
      place integer not null,
      primary key (subscription_id, kind, key, at, place)
    );
    create index sightings_at on sightings using brin (at);

    create table scorecards (
      subscription_id integer not null references subscriptions,
      code text not null,
      version text not null,
      definition jsonb not null,
      deployed_at timestamptz not null default now(),
      primary key (subscription_id, code)
    );
    create table fragments (
      subscription_id integer not null references subscriptions,
      code text not null,
      kind text not null check (kind in ('permission', 'device_info', 'velocity', 'velocity_windows')),
      deployed_at timestamptz not null default now(),
      primary key (subscription_id, code)
    );

    create table audit_events (
      subscription_id integer not null references subscriptions,
      id bigint generated always as identity,
      at timestamptz not null default now(),
      actor text not null,
      action text not null,
      subject text,
      detail jsonb not null default '{}',
      primary key (subscription_id, id)
    );
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table audit_events, fragments, scorecards, sightings, client_devices, clients, devices, insight_requests,
      insights, datasets, token_keys, login_attempts, api_keys, refresh_tokens, sessions, users, subscriptions;
  `)
}
