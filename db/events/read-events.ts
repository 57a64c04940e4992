import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { BOUND, type EventPosition } from './event-position.ts'
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
  readonly next: EventPosition
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
  { after, limit, types }: { after: EventPosition; limit: number; types: readonly EventType[] },
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
  return {
    events,
    next: end ? { position: end.position, id: end.id } : after,
    hasMore: isFull || (last?.scanned ?? 0) === SCANNED,
  }
}

/** Returns the place behind the last event of each of these subscriptions that can be read; those without events are left out. */
export async function findHeads(
  db: Db,
  subscriptionIds: readonly number[],
): Promise<ReadonlyMap<number, EventPosition>> {
  const rows = await queryRows<EventPosition & { subscriptionId: number }>(
    db,
    sql`select s.id as "subscriptionId", e.position, e.id
        from unnest(${subscriptionIds}::integer[]) s (id)
        cross join lateral (
          select position, id from events
          where subscription_id = s.id and position < ${BOUND} order by position desc, id desc limit 1
        ) e`,
  )
  return new Map(rows.map(({ subscriptionId, ...head }) => [subscriptionId, head]))
}

/** Returns up to where old events of a subscription were removed. */
export async function findPruned(db: Db, subscriptionId: number): Promise<number> {
  const [row] = await queryRows<{ through: number }>(
    db,
    sql`select pruned_through as through from event_recording where subscription_id = ${subscriptionId}`,
  )
  return row?.through ?? 0
}
