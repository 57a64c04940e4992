import type { Knex } from 'knex'

/** Nullable: of keys created before, or by processes of the previous version, only the hash is stored. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- how an API key begins, so that a person can tell keys apart; 220 of its 256 random bits are not in it
    alter table api_keys add column prefix text;
  `)
}

export async function down(db: Knex): Promise<void> {
  await db.raw('alter table api_keys drop column prefix;')
}
