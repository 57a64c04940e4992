import type { Knex } from 'knex'

/**
 * Gives an API key a list of scopes instead of a role. Keys with a role keep it.
 *
 * Compatible with running processes of the previous version, which reject keys without a role with 403.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table api_keys
      add column scopes text[] check (cardinality(scopes) > 0),
      alter column role drop not null,
      add constraint api_keys_role_or_scopes check ((role is null) <> (scopes is null));
  `)
}

/** Keys with scopes are revoked: the previous version knows only roles, and each of those allows something else. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table api_keys drop constraint api_keys_role_or_scopes;
    update api_keys set role = 'requester', revoked_at = coalesce(revoked_at, now()) where role is null;
    alter table api_keys drop column scopes, alter column role set not null;
  `)
}
