import type { Db } from '../../db/postgres/database.ts'

/** Runs `work` in a transaction without triggers, as a superuser can: it may change the audit log, unchained. @param owner of the tables. */
export const withoutTriggers = <T>(owner: Db, work: (trx: Db) => Promise<T>): Promise<T> =>
  owner.transaction(async (trx) => {
    await trx.raw("set local session_replication_role = 'replica'")
    return work(trx)
  })
