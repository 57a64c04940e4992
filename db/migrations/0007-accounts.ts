import type { Knex } from 'knex'

/** Adds origins of sessions, so that users can distinguish and end them, and users who are invited before they have a password. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table users alter column password_hash drop not null;

    alter table sessions
      add column address text,
      add column user_agent text,
      -- how long each of its refresh tokens works; null: as long as the session
      add column refresh_seconds integer;
    create index sessions_user on sessions (subscription_id, user_id);

    -- a link by which a user sets a password: one for each, the newest
    create table invitations (
      subscription_id integer not null,
      user_id integer not null,
      token_hash bytea not null unique,
      created_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (subscription_id, user_id),
      foreign key (subscription_id, user_id) references users
    );
  `)
}

/** Removes invited users without a password. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table invitations;
    drop index sessions_user;
    alter table sessions drop column address, drop column user_agent, drop column refresh_seconds;
    delete from users where password_hash is null;
    alter table users alter column password_hash set not null;
  `)
}
