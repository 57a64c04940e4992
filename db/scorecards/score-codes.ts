import { type Db, queryRows } from '../postgres/database.ts'

/** Codes under which datasets of a subscription were ever scored, or are, in alphabetical order. */
export async function listScoreCodes(db: Db, subscriptionId: number): Promise<string[]> {
  const rows = await queryRows<{ code: string }>(
    db,
    `select distinct code from scorecard_stages
     where subscription_id = ? and stage in ('champion', 'retired') order by code`,
    [subscriptionId],
  )
  return rows.map(({ code }) => code)
}
