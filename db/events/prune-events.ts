import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Lists the subscriptions with an event that is older than so many days: the first one of each is probed. */
export async function listWithOldEvents(db: Db, days: number): Promise<number[]> {
  const rows = await queryRows<{ id: number }>(
    db,
    sql`select r.subscription_id as id from event_recording r
        cross join lateral (
          select at from events e
          where e.subscription_id = r.subscription_id and e.position > r.pruned_through
          order by e.position, e.id limit 1
        ) oldest
        where oldest.at < now() - make_interval(days => ${days}) order by 1`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Removes the events of the next transactions of a subscription that are older than so many days, about `limit` of them: those of one
 * transaction are removed together, so that a cursor is either behind all of them or before.
 *
 * @returns how many were removed; 0 if no more are due.
 */
export async function pruneFeed(
  db: Db,
  subscriptionId: number,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const [step] = await queryRows<{ removed: number }>(
    db,
    sql`with place as (
          select pruned_through as through from event_recording where subscription_id = ${subscriptionId}
        ), oldest as (
          select position, at < now() - make_interval(days => ${days}) as due from events
          where subscription_id = ${subscriptionId} and position > (select through from place)
          order by position, id limit ${limit}
        ), reached as (
          select coalesce(
            (select max(o.position) from oldest o
             where o.position < coalesce((select min(position) from oldest where not due), 9223372036854775807)), 0
          ) as position
        ), removed as (
          delete from events where subscription_id = ${subscriptionId}
            and position > (select through from place) and position <= (select position from reached)
          returning 1
        ), moved as (
          update event_recording set pruned_through = (select position from reached)
          where subscription_id = ${subscriptionId} and (select position from reached) > pruned_through
        )
        select count(*)::int as removed from removed`,
  )
  return step?.removed ?? 0
}
