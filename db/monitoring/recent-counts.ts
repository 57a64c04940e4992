import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { INVALID_DATASETS } from './pipeline-counts.ts'

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
    sql`select subscription_id as "subscriptionId", sum(uploads)::bigint as uploads,
               sum(ready + ${INVALID_DATASETS})::bigint as settled, sum(${INVALID_DATASETS})::bigint as invalid
        from pipeline_counts
        where subscription_id = any(${subscriptionIds}::integer[]) and minute > now() - make_interval(mins => ${minutes})
        group by subscription_id`,
  )
}
