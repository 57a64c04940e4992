import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Counts up to 10,000 collections of all subscriptions that are not a dataset yet. */
export async function countOpenCollections(db: Db): Promise<number> {
  const [row] = await queryRows<{ collections: number }>(
    db,
    sql`select count(*)::int as collections
        from (select from collections where due_at is not null limit 10000) open`,
  )
  return row?.collections ?? 0
}
