import type { Knex } from 'knex'

/**
 * Takes the foreign key of insights away: the transaction that saves one has claimed its dataset, and whoever deletes a
 * dataset deletes its insight.
 *
 * Postgres checks the key by a statement whose plan it keeps: made while `datasets` is empty, it read the whole table for
 * each insight until the first analyze, and a new installation's first burst took ten times as long.
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
