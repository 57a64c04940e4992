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
/** Returns how many pages of tables and indexes the statements of `act` fetch, which run in a transaction of their own. */
export async function countPages(db: Db, act: (trx: Db) => Promise<unknown>): Promise<number> {
  return db.transaction(async (trx) => {
    const before = await readPages(trx)
    await act(trx)
    return (await readPages(trx)) - before
  })
}

/** Those of this connection that are not in the statistics of the server yet. */
async function readPages(trx: Db): Promise<number> {
  const [row] = await queryRows<{ pages: number }>(
    trx,
    `select sum(pg_stat_get_xact_blocks_fetched(oid))::int as pages from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`,
  )
  return row?.pages ?? Number.NaN
}
