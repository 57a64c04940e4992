import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Lists the subscriptions with a read that is older than so many days: the first read of each is probed. */
export async function listWithOldReads(db: Db, days: number): Promise<number[]> {
  const rows = await queryRows<{ id: number }>(
    db,
    sql`select s.id from subscriptions s cross join lateral (
          select requested_at from insight_requests r where r.subscription_id = s.id order by r.id limit 1
        ) oldest
        where oldest.requested_at < now() - make_interval(days => ${days}) order by s.id`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Removes up to `limit` of the oldest reads of a subscription's insights, those older than so many days. Ids rise with time, to
 * within the seconds that a read may wait, so the primary key finds them.
 *
 * @returns how many were removed; less than `limit` if no more are due.
 */
export async function pruneReads(
  db: Db,
  subscriptionId: number,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const removed = await queryRows(
    db,
    sql`delete from insight_requests r using (
          select subscription_id, id, requested_at from insight_requests
          where subscription_id = ${subscriptionId} order by id limit ${limit}
        ) oldest
        where r.subscription_id = oldest.subscription_id and r.id = oldest.id
          and oldest.requested_at < now() - make_interval(days => ${days})
        returning 1`,
  )
  return removed.length
}

/**
 * Removes timeline events that are older than so many days, among the next `limit` of all events in the order of their datasets; after
 * the last, the next call begins again.
 *
 * An old dataset may have young events, so neither an index nor an order by age finds the old ones; a walk does, at a cost that does
 * not depend on their number. Safe with several workers: one at a time holds the place.
 *
 * @returns how many were removed.
 */
export async function pruneEvents(
  db: Db,
  { days, limit }: { days: number; limit: number },
): Promise<{ removed: number }> {
  return db.transaction(async (trx) => {
    const [place] = await queryRows<{ subscriptionId: number; datasetId: number; id: number }>(
      trx,
      sql`select subscription_id as "subscriptionId", dataset_id as "datasetId", event_id as id
          from event_pruning for update skip locked`,
    )
    if (!place) return { removed: 0 }
    const [step] = await queryRows<{ removed: number }>(
      trx,
      sql`with step as materialized (
            select subscription_id, dataset_id, id, at from dataset_events
            where (subscription_id, dataset_id, id) > (${place.subscriptionId}, ${place.datasetId}, ${place.id})
            order by subscription_id, dataset_id, id limit ${limit}
          ), removed as (
            delete from dataset_events e using step s
            where e.subscription_id = s.subscription_id and e.dataset_id = s.dataset_id and e.id = s.id
              and s.at < now() - make_interval(days => ${days})
            returning 1
          ), last as (
            select * from step order by subscription_id desc, dataset_id desc, id desc limit 1
          ), moved as (
            update event_pruning set (subscription_id, dataset_id, event_id) = (
              select coalesce(max(subscription_id), 0), coalesce(max(dataset_id), 0), coalesce(max(id), 0) from last
            )
          )
          select count(*)::int as removed from removed`,
    )
    return { removed: step?.removed ?? 0 }
  })
}
