import { setTimeout as delay } from 'node:timers/promises'
import { type Db, queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'

/** Ends all other connections to this database, while they are idle, so that they report the pages that they touched. */
export async function endConnections(db: Db): Promise<void> {
  const end = () =>
    queryRows(
      db,
      sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
            and state = 'idle'`,
    )
  while ((await end()).length > 0) await delay(20)
}
