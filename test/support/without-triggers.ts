import type { Db } from '../../db/postgres/database.ts'

/** Runs `work` in a transaction without triggers, as a superuser can: it may change the audit log, unchained. */
export const withoutTriggers = <T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> =>
  db.transaction(async (trx) => {
    await trx.raw("set local session_replication_role = 'replica'")
    return work(trx)
  })
