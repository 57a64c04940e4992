import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** What a subscription received and had settled in the last minutes. */
export interface RecentCounts {
  readonly subscriptionId: number
  readonly uploads: number
  /** Datasets that became ready or invalid when they were first processed. */
  readonly settled: number
  /** Those of them that became invalid. */
  readonly invalid: number
}

/**
 * Adds up the counts of the last minutes, the present one included, of each of these subscriptions; those without any are absent. Reads at most a
 * row a minute and subscription.
 */
export async function sumRecentCounts(
  db: Db,
  subscriptionIds: readonly number[],
  minutes: number,
): Promise<RecentCounts[]> {
  return queryRows(
    db,
    sql`select c.subscription_id as "subscriptionId", sum(c.uploads)::bigint as uploads,
               sum(c.ready + i.datasets)::bigint as settled, sum(i.datasets)::bigint as invalid
        from pipeline_counts c
        cross join lateral (
          select coalesce(sum(datasets::integer), 0) as datasets from jsonb_each_text(c.invalid) reasons (reason, datasets)
        ) i
        where c.subscription_id = any(${subscriptionIds}::integer[])
          and c.minute > now() - make_interval(mins => ${minutes})
        group by c.subscription_id`,
  )
}
