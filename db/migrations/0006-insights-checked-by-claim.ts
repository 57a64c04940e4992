import type { Knex } from 'knex'

/**
 * Drops the foreign key of insights: the transaction that saves an insight has claimed its dataset, and a deletion of a dataset
 * deletes its insight.
 *
 * Postgres checks the key with a cached plan. Planned while `datasets` was empty, it read the whole table for each insight until
 * the first analyze, and a new installation's first burst took ten times as long.
 */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- in the order of the workers that run meanwhile, or one of them and this would wait for each other
    lock table datasets, insights in access exclusive mode;
    alter table insights drop constraint insights_subscription_id_dataset_id_fkey;
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw(`
    delete from insights i where not exists (
      select from datasets d where d.subscription_id = i.subscription_id and d.id = i.dataset_id
    );
    alter table insights add foreign key (subscription_id, dataset_id) references datasets on delete cascade;
  `)
}
