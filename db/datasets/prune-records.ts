import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'

/** Lists the subscriptions with a read that is older than so many days: the first read of each that was not pruned is probed. */
export async function listWithOldReads(db: Db, days: number): Promise<number[]> {
  const rows = await queryRows<{ id: number }>(
    db,
    sql`select s.id from subscriptions s left join read_pruning p on p.subscription_id = s.id
        cross join lateral (
          select requested_at from insight_requests r
          where r.subscription_id = s.id and r.id > coalesce(p.through, 0) order by r.id limit 1
        ) oldest
        where oldest.requested_at < now() - make_interval(days => ${days}) order by s.id`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Removes those of a subscription's next `limit` reads of insights that are older than so many days. Ids rise with time, to within the seconds
 * that a read may wait, so the primary key finds them.
 *
 * Each call goes on behind what earlier ones have removed: from the first id, it would read the index entries of all removed rows until they
 * are vacuumed.
 *
 * @returns how many were removed; less than `limit` if no more are due.
 */
export async function pruneReads(
  db: Db,
  subscriptionId: number,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const [step] = await queryRows<{ removed: number }>(
    db,
    sql`with oldest as materialized (
          select id, requested_at < now() - make_interval(days => ${days}) as due from insight_requests
          where subscription_id = ${subscriptionId}
            and id > coalesce((select through from read_pruning where subscription_id = ${subscriptionId}), 0)
          order by id limit ${limit}
        ), removed as (
          delete from insight_requests
          where subscription_id = ${subscriptionId} and id = any(array(select id from oldest where due)) returning 1
        ), moved as (
          insert into read_pruning as p (subscription_id, through)
          select ${subscriptionId}::integer, last.id from (
            select coalesce(min(id) filter (where not due) - 1, max(id)) as id, bool_or(due) as due from oldest
          ) last where last.due
          on conflict (subscription_id) do update set through = greatest(p.through, excluded.through)
        )
        select count(*)::int as removed from removed`,
  )
  return step?.removed ?? 0
}

/** What a step of `pruneEvents` did. */
export interface EventStep {
  readonly removed: number
  /** Whether it was behind the last event, so that the next one begins again, or another worker holds the place. */
  readonly isOver: boolean
}

/** The place behind all events of a subscription. */
const LAST_ID = raw(String(2n ** 63n - 1n))

/**
 * Removes timeline events that are older than so many days, among the next `limit` events of a subscription in the order of their datasets.
 * After its last old dataset comes the next subscription, and after the last one the first.
 *
 * An old dataset may have young events, so neither an index nor an order by age finds the old ones; a walk over the old datasets does. Young
 * datasets have no old events, and their ids are higher: the walk passes them by.
 *
 * Safe with several workers: one at a time holds the place.
 */
export async function pruneEvents(
  db: Db,
  { days, limit }: { days: number; limit: number },
): Promise<EventStep> {
  return db.transaction(async (trx) => {
    const [place] = await queryRows<{ subscriptionId: number; datasetId: string; id: string }>(
      trx,
      sql`select subscription_id as "subscriptionId", dataset_id::text as "datasetId", event_id::text as id
          from event_pruning for update skip locked`,
    )
    if (!place) return { removed: 0, isOver: true }
    const [next] = await queryRows<{
      subscriptionId: number
      datasetId: number
      id: number
      isYoung: boolean
    }>(
      trx,
      sql`select e.subscription_id as "subscriptionId", e.dataset_id as "datasetId", e.id,
                 coalesce(d.uploaded_at >= now() - make_interval(days => ${days}), false) as "isYoung"
          from (
            select subscription_id, dataset_id, id from dataset_events
            where (subscription_id, dataset_id, id) > (${place.subscriptionId}, ${place.datasetId}::bigint, ${place.id}::bigint)
            order by subscription_id, dataset_id, id limit 1
          ) e
          left join datasets d on d.subscription_id = e.subscription_id and d.id = e.dataset_id`,
    )
    if (!next) {
      await queryRows(trx, sql`update event_pruning set subscription_id = 0, dataset_id = 0, event_id = 0`)
      return { removed: 0, isOver: true }
    }
    if (next.isYoung) {
      await queryRows(
        trx,
        sql`update event_pruning set subscription_id = ${next.subscriptionId}, dataset_id = ${LAST_ID}, event_id = ${LAST_ID}`,
      )
      return { removed: 0, isOver: false }
    }
    const [step] = await queryRows<{ removed: number }>(
      trx,
      sql`with step as materialized (
            select dataset_id, id, at from dataset_events
            where subscription_id = ${next.subscriptionId} and (dataset_id, id) >= (${next.datasetId}::bigint, ${next.id}::bigint)
            order by dataset_id, id limit ${limit}
          ), removed as (
            delete from dataset_events e using step s
            where e.subscription_id = ${next.subscriptionId} and e.dataset_id = s.dataset_id and e.id = s.id
              and s.at < now() - make_interval(days => ${days})
            returning 1
          ), moved as (
            update event_pruning set subscription_id = ${next.subscriptionId}, dataset_id = last.dataset_id, event_id = last.id
            from (select dataset_id, id from step order by dataset_id desc, id desc limit 1) last
          )
          select count(*)::int as removed from removed`,
    )
    return { removed: step?.removed ?? 0, isOver: false }
  })
}
