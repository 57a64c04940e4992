import type { Knex } from 'knex'

/** Only adds a table: processes of the previous version do not read it. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- accounts for /ops
    create table operators (
      id integer generated always as identity primary key,
      name text not null unique check (name ~ '^[a-z0-9][a-z0-9._-]{0,63}$' and name <> 'operator'),
      password_hash text not null,
      created_at timestamptz not null default now(),
      -- account of the operating system
      created_by text not null,
      password_changed_at timestamptz not null default now(),
      disabled_at timestamptz,
      -- to the minute
      last_used_at timestamptz
    );
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('drop table operators;')
}
