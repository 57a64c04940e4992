import type { Knex } from 'knex'

/**
 * Adds second factors of users, the policy of a subscription and the authors of scorecard versions. Columns without a volatile
 * default are instant; processes of the previous version do not read them.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create table factors (
      subscription_id integer not null,
      id uuid not null,
      user_id integer not null,
      kind text not null check (kind in ('passkey', 'totp')),
      -- chosen by the user, to tell factors apart
      name text not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz,
      -- of a passkey; its id is unique across subscriptions, since a sign-in without a password knows nothing else
      credential_id bytea unique,
      public_key bytea,
      -- random, the same for all passkeys of a user
      user_handle bytea,
      -- uses, as the authenticator counts them; 0 if it does not count
      counter bigint,
      transports text[],
      -- of TOTP: the shared secret, sealed, and the newest step of 30 s of which a code was accepted
      secret bytea,
      last_step bigint,
      primary key (subscription_id, id),
      foreign key (subscription_id, user_id) references users on delete cascade,
      check (kind <> 'passkey' or num_nulls(credential_id, public_key, user_handle, counter, transports) = 0),
      check (kind <> 'totp' or num_nulls(secret, last_step) = 0)
    );
    create index factors_user on factors (subscription_id, user_id);

    -- each signs a user in once, in place of a factor; only hashes are stored
    create table recovery_codes (
      subscription_id integer not null,
      user_id integer not null,
      code_hash bytea not null,
      created_at timestamptz not null default now(),
      used_at timestamptz,
      primary key (subscription_id, user_id, code_hash),
      foreign key (subscription_id, user_id) references users on delete cascade
    );

    -- challenges that were answered, until they expire: each is accepted once
    create table used_challenges (
      subscription_id integer not null references subscriptions,
      id text not null,
      expires_at timestamptz not null,
      primary key (subscription_id, id)
    );
    create index used_challenges_end on used_challenges (expires_at);

    alter table sessions
      -- how its user signed in, such as password+totp; null for a session of an earlier version
      add column method text,
      -- when its user last proved who they are; null: when it started
      add column authenticated_at timestamptz;

    alter table subscriptions
      add column factors_required text not null default 'nobody'
        check (factors_required in ('nobody', 'admins', 'everybody')),
      -- whether the author of a scorecard version may not promote it
      add column four_eyes boolean not null default false;

    alter table scorecard_versions
      -- who first saved it: kind, id and name of an actor; null for a version of an earlier release
      add column author_kind text,
      add column author_id integer,
      add column author_name text;
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table scorecard_versions drop column author_kind, drop column author_id, drop column author_name;
    alter table subscriptions drop column factors_required, drop column four_eyes;
    alter table sessions drop column method, drop column authenticated_at;
    drop table used_challenges, recovery_codes, factors;
  `)
}
