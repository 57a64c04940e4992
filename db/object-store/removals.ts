import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import type { ObjectKey } from './object-keys.ts'

/**
 * Calls `remove` for up to `limit` objects whose rows are gone, then forgets them; a trigger of `datasets` lists them in the transaction that
 * removes the reference. If it fails, they stay listed.
 *
 * Safe with several workers: they skip each other's.
 *
 * @returns how many.
 */
export async function removeListed(
  db: Db,
  limit: number,
  remove: (keys: readonly ObjectKey[]) => Promise<unknown>,
): Promise<number> {
  return db.transaction(async (trx) => {
    const removed = await queryRows<ObjectKey>(
      trx,
      sql`delete from capture_removals where id in (
            select id from capture_removals where due_at <= now() order by due_at limit ${limit} for update skip locked
          ) returning subscription_id as "subscriptionId", object_id as id`,
    )
    await remove(removed)
    return removed.length
  })
}

/** Objects that are to be removed; those due are removed as soon as the store answers. */
export async function countRemovals(db: Db): Promise<{ objects: number; oldestSeconds: number }> {
  const [row] = await queryRows<{ objects: number; oldestSeconds: number }>(
    db,
    sql`select count(*)::int as objects,
               coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as "oldestSeconds"
        from (select due_at from capture_removals where due_at <= now() order by due_at limit 10000) due`,
  )
  return row ?? { objects: 0, oldestSeconds: 0 }
}
