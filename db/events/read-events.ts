import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { BOUND, type EventPosition, type FeedPlace } from './event-position.ts'
import type { EventType } from './event-types.ts'

/** A recorded event. */
export interface StoredEvent extends EventPosition {
  readonly publicId: string
  readonly type: EventType
  readonly at: Date
  readonly datasetId: number | null
  readonly data: object
}

/** Columns of an event `e`. */
export const EVENT_FIELDS = raw(
  `e.position, e.id, e.public_id as "publicId", e.type, e.at, e.dataset_id as "datasetId", e.data`,
)

/** Events that one statement looks at: with a filter, most of them may not match. */
const SCANNED = 5_000

/** Part of a subscription's events, in order. */
export interface EventPage {
  readonly events: readonly StoredEvent[]
  /** Where the next page begins. */
  readonly next: FeedPlace
  /** Whether there are more events already. */
  readonly hasMore: boolean
}

/**
 * Reads up to `limit` events of a subscription after a place, in the order of their transactions, and never past one that may still be
 * committed.
 *
 * @param types empty: all.
 */
export async function readEvents(
  db: Db,
  subscriptionId: number,
  { after, limit, types }: { after: FeedPlace; limit: number; types: readonly EventType[] },
): Promise<EventPage> {
  const rows = await queryRows<StoredEvent & { isMatch: boolean; scanned: number }>(
    db,
    sql`with scanned as (
          select * from events e
          where e.subscription_id = ${subscriptionId} and (e.position, e.id) > (${after.position}::bigint, ${after.id}::bigint)
            and e.position < ${BOUND}
          order by e.position, e.id limit ${SCANNED}
        ), matching as (
          select position, id from scanned e
          where e.webhook_id is null and (${types.length === 0} or e.type = any(${types}::text[]))
          order by position, id limit ${limit + 1}
        )
        select ${EVENT_FIELDS}, true as "isMatch", (select count(*) from scanned) as scanned
        from matching join scanned e using (position, id)
        union all
        (select ${EVENT_FIELDS}, false, (select count(*) from scanned)
         from scanned e order by e.position desc, e.id desc limit 1)
        order by "isMatch" desc, position, id`,
  )
  const matching = rows.filter(({ isMatch }) => isMatch)
  const last = rows.find(({ isMatch }) => !isMatch)
  const events = matching.slice(0, limit)
  const isFull = matching.length > limit
  const end = isFull ? events.at(-1) : last
  const isScanFull = last?.scanned === SCANNED
  const isPositionRead = isFull ? matching[limit]?.position !== end?.position : !isScanFull
  return {
    events,
    next: end ? { position: end.position, id: end.id, at: isPositionRead ? end.at : undefined } : after,
    hasMore: isFull || isScanFull,
  }
}

/** Returns the place behind the last event of each of these subscriptions that can be read; those without events are left out. */
export async function findHeads(
  db: Db,
  subscriptionIds: readonly number[],
): Promise<ReadonlyMap<number, FeedPlace>> {
  const rows = await queryRows<FeedPlace & { subscriptionId: number }>(
    db,
    sql`select s.id as "subscriptionId", e.position, e.id, e.at
        from unnest(${subscriptionIds}::integer[]) s (id)
        cross join lateral (
          select position, id, at from events
          where subscription_id = s.id and position < ${BOUND} order by position desc, id desc limit 1
        ) e`,
  )
  return new Map(rows.map(({ subscriptionId, ...head }) => [subscriptionId, head]))
}

/** Returns the place behind the last event of a subscription that can be read. */
export async function findLatest(db: Db, subscriptionId: number): Promise<FeedPlace> {
  const heads = await findHeads(db, [subscriptionId])
  return heads.get(subscriptionId) ?? { position: await findPruned(db, subscriptionId), id: 0 }
}

/** Returns up to where old events of a subscription were removed. */
export async function findPruned(db: Db, subscriptionId: number): Promise<number> {
  const [row] = await queryRows<{ through: number }>(
    db,
    sql`select pruned_through as through from event_recording where subscription_id = ${subscriptionId}`,
  )
  return row?.through ?? 0
}

/** More than the clocks of two servers differ, and than events of one server are in another order than their times. */
const REPEATED_MINUTES = 10

/**
 * Finds the place at which a reader goes on that has read up to another one.
 *
 * They differ if the database does not have the last event that was read: it was lost at a failover, or taken back by a restore to an earlier
 * time. Ids of transactions are then used again, so new events may have lower positions. The reader gets those of the minutes before again, and
 * all later ones.
 *
 * @returns undefined if events that were not read are removed.
 */
export async function findPlace(
  db: Db,
  subscriptionId: number,
  read: FeedPlace,
): Promise<FeedPlace | undefined> {
  const pruned = await findPruned(db, subscriptionId)
  if (read.position < pruned) return undefined
  if (read.position === pruned || read.id === 0) return read
  const events = await queryRows<{ id: number; at: Date }>(
    db,
    sql`select id, at from events where subscription_id = ${subscriptionId} and position = ${read.position}`,
  )
  const isRead = ({ id, at }: { id: number; at: Date }) =>
    read.at === undefined ? id === read.id : at.getTime() === read.at.getTime()
  if (events.some(isRead)) return read
  const before = read.at && (await findBefore(db, subscriptionId, read.at))
  return before ?? { position: pruned, id: 0 }
}

/** Returns the place of the last event that is some minutes older than a time. */
async function findBefore(db: Db, subscriptionId: number, at: Date): Promise<FeedPlace | undefined> {
  const [event] = await queryRows<FeedPlace>(
    db,
    sql`select position, id, at from events
        where subscription_id = ${subscriptionId} and at < ${at}::timestamptz - make_interval(mins => ${REPEATED_MINUTES})
        order by position desc, id desc limit 1`,
  )
  return event
}
