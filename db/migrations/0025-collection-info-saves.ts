import type { Knex } from 'knex'

/** Only adds a column: processes of the previous version leave it null. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    alter table collections
      -- who saved Additional Info, when, and which keys: [{at, actor, kind, id, keys}], for the timeline of the later dataset
      add column info_saves jsonb;
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table collections drop column info_saves;')
}
