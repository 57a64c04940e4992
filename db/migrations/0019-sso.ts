import type { Knex } from 'knex'

/**
 * Adds single sign-on. Processes of the previous version do not read what is added. The random id rewrites the table of
 * subscriptions, which is small.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- public: names the subscription in its sign-in link, and in the address to which its provider sends browsers back
    alter table subscriptions add column sso_id uuid not null default gen_random_uuid();
    create unique index subscriptions_sso_id on subscriptions (sso_id);

    -- the OpenID provider of a subscription
    create table sso_connections (
      subscription_id integer primary key references subscriptions on delete cascade,
      issuer text not null,
      client_id text not null,
      -- sealed
      client_secret bytea not null,
      -- requested besides openid and email
      scopes text[] not null,
      -- claim that roles are taken from; null: admins of the subscription set them
      role_claim text,
      -- role by value of the claim
      roles jsonb not null,
      -- of users without such a value; null: they are rejected
      default_role text check (default_role in ('admin', 'analyst')),
      creates_users boolean not null,
      -- whether an e-mail counts without email_verified
      trusts_emails boolean not null,
      -- whether each sign-in counts as one with a second factor
      trusts_factors boolean not null,
      password_login boolean not null,
      -- when what a sign-in depends on was last changed
      configured_at timestamptz not null default now()
    );

    create table sso_domains (
      subscription_id integer not null references sso_connections on delete cascade,
      domain text not null,
      -- when the operator confirmed it; null: it does not lead from an e-mail to this connection
      confirmed_at timestamptz,
      primary key (subscription_id, domain)
    );
    create index sso_domains_domain on sso_domains (domain);

    -- users as the provider names them
    create table sso_identities (
      subscription_id integer not null,
      issuer text not null,
      subject text not null,
      user_id integer not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz not null default now(),
      primary key (subscription_id, issuer, subject),
      unique (subscription_id, user_id, issuer),
      foreign key (subscription_id, user_id) references users on delete cascade
    );
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(
    'drop table sso_identities, sso_domains, sso_connections; alter table subscriptions drop column sso_id',
  )
}
