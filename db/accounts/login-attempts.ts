import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Returns the highest number of failed sign-ins counted for one network address within the last 15 minutes. */
export async function findMostFailures(db: Db): Promise<number> {
  const [row] = await queryRows<{ failures: number }>(
    db,
    sql`select coalesce(max(points), 0)::int as failures from login_attempts
        where key like 'address:%' and expire > extract(epoch from now()) * 1000`,
  )
  return row?.failures ?? 0
}
