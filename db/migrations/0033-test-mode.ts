import type { Knex } from 'knex'

/**
 * Adds test modes, which are subscriptions of their own, and datasets whose processing is delayed. Processes of the previous version go on:
 * to them, a test mode is a subscription like any other, and delayed datasets do not wait in the outbox.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- of the test mode of a subscription: that subscription; null for all others
    alter table subscriptions add column test_of integer references subscriptions;
    create unique index subscriptions_test_of on subscriptions (test_of) where deleted_at is null;

    -- made-up datasets that enter the outbox later
    create table delayed_datasets (
      subscription_id integer not null references subscriptions,
      dataset_id bigint not null,
      due_at timestamptz not null,
      primary key (subscription_id, dataset_id)
    );
    create index delayed_datasets_due on delayed_datasets (due_at);
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    drop table delayed_datasets;
    alter table subscriptions drop column test_of;
  `)
}
