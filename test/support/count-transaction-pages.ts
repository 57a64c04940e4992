import { type Db, queryRows } from '../../db/postgres/database.ts'

/** Returns how many pages of tables and indexes the statements of `act` fetch, which run in a transaction of their own. */
export async function countTransactionPages(db: Db, act: (trx: Db) => Promise<unknown>): Promise<number> {
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
