import type { Knex } from 'knex'

/** Only adds tables, and a column without a default, which is instant: processes of the previous version do not read them. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- public keys of pages; they only open collections
    create table site_keys (
      subscription_id integer not null references subscriptions,
      id integer generated always as identity,
      key text not null unique,
      label text not null,
      level text not null check (level in ('open', 'claimed', 'verified')),
      origins text[] not null,
      -- optional modules of the SDK that its pages may load
      modules text[] not null default '{}',
      max_collections_per_day integer not null,
      created_at timestamptz not null default now(),
      -- set by rotation: the key works until then, beside its successor
      expires_at timestamptz,
      revoked_at timestamptz,
      primary key (subscription_id, id)
    );

    -- use of a site key by the day, in UTC
    create table site_key_days (
      subscription_id integer not null,
      site_key_id integer not null,
      day date not null,
      opened integer not null default 0,
      completed integer not null default 0,
      abandoned integer not null default 0,
      rejected integer not null default 0,
      bytes bigint not null default 0,
      primary key (subscription_id, site_key_id, day),
      foreign key (subscription_id, site_key_id) references site_keys
    -- rows change throughout their day, in place
    ) with (fillfactor = 50);

    -- a capture that a browser sends in segments; it becomes a dataset when it is complete and has a reference number
    create table collections (
      subscription_id integer not null,
      id bigint generated always as identity,
      -- the id that browsers and backends know: 128 random bits, which permit only to append
      public_id text not null unique,
      site_key_id integer not null,
      -- chosen by the browser, so that a repeated request to open returns the same collection
      nonce text not null,
      level text not null check (level in ('open', 'claimed', 'verified')),
      origin text not null,
      -- id of the token that opened it
      token_id uuid,
      -- null until it is claimed
      reference_number text,
      additional_info jsonb not null default '{}',
      -- keyed hash of the random value in the browser's storage
      device_id text,
      opened_address text,
      completed_address text,
      -- User-Agent, Accept-Language and client hints, as the browser sent them at open
      request jsonb not null,
      segments integer not null default 0,
      events integer not null default 0,
      bytes integer not null default 0,
      opened_at timestamptz not null default now(),
      completed_at timestamptz,
      -- segments that the browser has sent, by its own count
      announced integer,
      claimed_at timestamptz,
      -- when a worker next checks whether it was abandoned or expired; null once it is a dataset
      due_at timestamptz,
      dataset_id bigint,
      primary key (subscription_id, id),
      foreign key (subscription_id, site_key_id) references site_keys
    ) with (fillfactor = 70);
    create unique index collections_nonce on collections (subscription_id, site_key_id, nonce);
    create unique index collections_token on collections (subscription_id, token_id) where token_id is not null;
    create unique index collections_reference_number on collections (subscription_id, reference_number)
      where reference_number is not null and dataset_id is null;
    create index collections_due on collections (due_at) where due_at is not null;
    create index collections_dataset on collections (subscription_id, dataset_id) where dataset_id is not null;

    create table collection_segments (
      subscription_id integer not null,
      collection_id bigint not null,
      n integer not null,
      -- gzipped JSON
      body bytea not null,
      received_at timestamptz not null default now(),
      primary key (subscription_id, collection_id, n),
      foreign key (subscription_id, collection_id) references collections on delete cascade
    );
    alter table collection_segments alter column body set storage external;

    -- secret of the subscription from which device ids of browsers are derived
    create table collection_secrets (
      subscription_id integer primary key references subscriptions,
      secret bytea not null
    );

    -- set if a browser collected the dataset; its blob is null until a worker has assembled it from its segments
    alter table datasets add column collection_id bigint;
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table datasets drop column collection_id;
    drop table collection_segments, collections, collection_secrets, site_key_days, site_keys;
  `)
}
