import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** The invalid datasets of a subscription; they can be processed again once the cause is fixed. */
export interface InvalidSummary {
  /** There may be more if `atLeast`. */
  readonly datasets: number
  readonly atLeast: boolean
  /** Most frequent first. */
  readonly reasons: readonly { readonly reason: string; readonly datasets: number }[]
}

/** Reads the newest `limit` invalid datasets: 10,000 of them take about 20 ms. Leaves out those that wait to be processed again. */
export async function countInvalidReasons(
  db: Db,
  subscriptionId: number,
  limit: number,
): Promise<InvalidSummary> {
  const [summary] = await queryRows<InvalidSummary>(
    db,
    sql`with newest as materialized (
          select invalid_code as reason, ring_at is null as settled from datasets
          where subscription_id = ${subscriptionId} and status = 'invalid' order by id desc limit ${limit}
        ), reasons as (
          select reason, count(*)::int as datasets from newest where settled group by reason
        )
        select (select count(*)::int from newest where settled) as datasets,
               (select count(*) = ${limit} from newest) as "atLeast",
               (select coalesce(jsonb_agg(reasons order by datasets desc, reason), '[]') from reasons) as reasons`,
  )
  if (!summary) throw new Error('A count returned no row')
  return summary
}
