import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { MAX_SCANNED, OVERDUE, type SubscriptionBacklog } from './backlog.ts'
import { FIRST_UPLOADS } from './oldest-scan.ts'

/** What waits of one of several subscriptions. */
export interface WaitingOfSubscription extends Omit<SubscriptionBacklog, 'atLeast'> {
  readonly subscriptionId: number
}

/**
 * Counts what waits of each of these subscriptions, as `measureSubscriptionBacklog` does of one: in the first 10,000 datasets of the outbox of all.
 * The age of the oldest is exact, however many wait.
 *
 * @returns `atLeast`: the outbox is longer, so that the counts are lower bounds.
 */
export async function countWaitingOf(
  db: Db,
  subscriptionIds: readonly number[],
): Promise<{ waiting: WaitingOfSubscription[]; atLeast: boolean }> {
  const rows = await queryRows<WaitingOfSubscription & { scanned: number }>(
    db,
    sql`with outbox as materialized (
          select subscription_id, status = 'received' as fresh, ${OVERDUE} as overdue
          from datasets where ring_at is not null order by ring_at limit ${MAX_SCANNED}
        ), counted as (
          select subscription_id, count(*) filter (where fresh)::int as datasets,
                 count(*) filter (where overdue)::int as overdue, count(*) filter (where not fresh)::int as again
          from outbox group by subscription_id
        )
        select k.subscription_id as "subscriptionId", coalesce(c.datasets, 0) as datasets, coalesce(c.overdue, 0) as overdue,
               coalesce(c.again, 0) as again, extract(epoch from now() - oldest.uploaded_at)::float as "oldestSeconds",
               (select count(*)::int from outbox) as scanned
        from unnest(${subscriptionIds}::integer[]) k (subscription_id)
        left join counted c using (subscription_id)
        left join lateral (
          select uploaded_at from datasets where subscription_id = k.subscription_id and ${FIRST_UPLOADS} limit 1
        ) oldest on true`,
  )
  return {
    waiting: rows.map(({ scanned: _, ...waiting }) => waiting),
    atLeast: rows.some(({ scanned }) => scanned === MAX_SCANNED),
  }
}
