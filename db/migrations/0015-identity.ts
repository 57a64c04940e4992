import type { Knex } from 'knex'

/**
 * Lets an e-mail belong to users of several subscriptions, and records who issued a password link and who created a key.
 *
 * Ids of issuers and creators are no foreign keys: a deleted user's id stays, and no other user gets it. Creators of existing keys
 * and issuers of existing links are taken from the audit log, which names users by e-mail.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create unique index users_email on users (email, subscription_id);
    alter table users drop constraint users_email_key;

    -- null: the operator
    alter table invitations add column issued_by integer;
    create index invitations_issuer on invitations (subscription_id, issued_by);
    update invitations i set issued_by = (
      select issuer.id from users invited
      join audit_events e on e.subscription_id = invited.subscription_id and e.subject = invited.email
        and e.action in ('user.invite', 'user.reset')
      join users issuer on issuer.subscription_id = e.subscription_id and issuer.email = e.actor
      where invited.subscription_id = i.subscription_id and invited.id = i.user_id
      order by e.id desc limit 1
    );

    -- created_by: the name at the time; created_by_user: null for the operator, and for keys from old versions
    alter table api_keys add column created_by text, add column created_by_user integer;
    alter table site_keys add column created_by text, add column created_by_user integer;
    update api_keys k set created_by = e.actor from audit_events e
      where e.subscription_id = k.subscription_id and e.action = 'key.create' and e.subject = k.id::text;
    update site_keys k set created_by = e.actor from audit_events e
      where e.subscription_id = k.subscription_id and e.subject = k.id::text and e.action = 'site_key.create';
    update site_keys k set created_by = e.actor from audit_events e
      where e.subscription_id = k.subscription_id and e.detail->>'successor' = k.id::text and e.action = 'site_key.rotate';
    update api_keys k set created_by_user = u.id from users u
      where u.subscription_id = k.subscription_id and u.email = k.created_by;
    update site_keys k set created_by_user = u.id from users u
      where u.subscription_id = k.subscription_id and u.email = k.created_by;
  `)
}

/** Fails if an e-mail belongs to users of several subscriptions. */
export async function down(db: Knex): Promise<void> {
  await db.raw(`
    alter table site_keys drop column created_by, drop column created_by_user;
    alter table api_keys drop column created_by, drop column created_by_user;
    alter table invitations drop column issued_by;
    alter table users add constraint users_email_key unique (email);
    drop index users_email;
  `)
}
