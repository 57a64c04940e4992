import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'

/** A place in the events of a subscription: behind the event with these numbers. */
export interface EventPosition {
  /** Of the transaction that wrote it. */
  readonly position: number
  readonly id: number
}

/** A place at which a reader of the feed goes on. */
export interface FeedPlace extends EventPosition {
  /** Time of the last event of the position, if all its events are before the place. It tells them from others that get the same position later. */
  readonly at?: Date | undefined
}

/** Before the first event. */
export const FIRST_POSITION: EventPosition = { position: 0, id: 0 }

/**
 * The bound below which positions are final, as a part of a statement: every transaction below it has ended, and its events are visible to this
 * statement; a later one writes its events at or above it. Ids of rows have no such bound: a transaction with a lower id may commit later, and a
 * reader that had passed it would never see its events.
 *
 * The oldest transaction that writes, in any database of the server, holds the bound back; one that only reads does not.
 */
export const BOUND = raw(
  '((select base from event_clock) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint)',
)

/** Ids of transactions that may have been used between two notes of the newest one, with a wide margin. */
const MARGIN = 1_000_000_000

/**
 * Notes the newest transaction id. If the server has counted further before, its tables were restored into another one: then positions go on
 * above all earlier ones, so that neither feeds nor webhooks pass by new events. Call it at the start of a process and every minute.
 *
 * @returns whether the tables were restored.
 */
export async function keepEventClock(db: Db): Promise<boolean> {
  const [row] = await queryRows<{ isBehind: boolean }>(
    db,
    sql`with now as (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid)
        update event_clock c set seen = greatest(c.seen, now.xid) from now
        returning c.seen > now.xid as "isBehind"`,
  )
  if (!row?.isBehind) return false
  return db.transaction(async (trx) => {
    // waits for transactions that have read the base, and lets others wait, so that none writes with the old one afterwards
    await queryRows(trx, 'lock table event_clock in access exclusive mode')
    const moved = await queryRows(
      trx,
      sql`update event_clock c set base = c.base + c.seen + ${MARGIN}::bigint, seen = now.xid
          from (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid) now
          where c.seen > now.xid returning 1`,
    )
    return moved.length > 0
  })
}
