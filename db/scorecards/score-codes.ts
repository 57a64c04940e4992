import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Lists the codes under which a subscription has scored datasets, in alphabetical order. */
export async function listScoreCodes(db: Db, subscriptionId: number): Promise<string[]> {
  const rows = await queryRows<{ code: string }>(
    db,
    sql`select distinct code from scorecard_stages
        where subscription_id = ${subscriptionId} and stage in ('champion', 'retired') order by code`,
  )
  return rows.map(({ code }) => code)
}
