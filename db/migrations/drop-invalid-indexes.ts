import type { Knex } from 'knex'

/** Drops the invalid indexes that interrupted concurrent builds left on a table: they cost maintenance and serve no query. */
export async function dropInvalidIndexes(db: Knex, table: string): Promise<void> {
  const { rows } = await db.raw(
    `select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = ?::regclass and not i.indisvalid`,
    [table],
  )
  for (const { name } of rows as { name: string }[]) await db.raw('drop index concurrently ??', [name])
}
