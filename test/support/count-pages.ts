import { type Db, queryRows } from '../../db/postgres/database.ts'

/**
 * Pages of a table, or of all, that work reads from memory or disk: with indexes and out-of-line values.
 *
 * @param db with one connection, which does the work: others report their reads later.
 */
export async function countPages(db: Db, work: () => Promise<unknown>, table?: string): Promise<number> {
  const before = await readTotal(db, table)
  await work()
  return (await readTotal(db, table)) - before
}

async function readTotal(db: Db, table: string | undefined): Promise<number> {
  await queryRows(db, 'select pg_stat_force_next_flush()')
  const [total] = await queryRows<{ pages: number }>(
    db,
    `select sum(heap_blks_hit + heap_blks_read + coalesce(idx_blks_hit + idx_blks_read, 0)
        + coalesce(toast_blks_hit + toast_blks_read + tidx_blks_hit + tidx_blks_read, 0))::bigint as pages
     from pg_statio_user_tables where coalesce(relname = ?, true)`,
    [table ?? null],
  )
  return total?.pages ?? 0
}
