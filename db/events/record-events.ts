import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql, valueRows } from '../postgres/sql.ts'
import type { EventType } from './event-types.ts'

/**
 * Position of an event: the id of its transaction, or the highest id that has ended when the statement began, whichever is higher.
 *
 * The second keeps the order within a dataset: a transaction may get its id, and then wait for one with a higher id that changes the same dataset.
 * A reader passes neither while the transaction runs, since both are at or above its id; see `BOUND`.
 */
const POSITION = `clock.base + greatest(
  pg_current_xact_id()::text::bigint, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1)`

/**
 * Returns the text of an `insert` that records events, for a `with` of the statement that they report, so that both are committed or neither.
 *
 * Subscriptions of which nothing is recorded are skipped, at the cost of one look into an index. The statement has to begin when the transaction has
 * locked the datasets, or to insert them.
 *
 * @param rows a query of subscription_id, dataset_id, type and data.
 */
export const recordingOf = (rows: string): string =>
  `insert into events (subscription_id, position, dataset_id, type, data)
   select n.subscription_id, ${POSITION}, n.dataset_id, n.type, n.data
   from (${rows}) n
   join event_recording recording on recording.subscription_id = n.subscription_id
   cross join event_clock clock`

/** An event that is not about a dataset. */
export interface NewEvent {
  readonly subscriptionId: number
  readonly type: EventType
  readonly data: object
}

/** Records events in the transaction that they report, as `recordingOf` does. */
export async function recordEvents(trx: Db, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = valueRows(
    ['integer', 'text', 'jsonb'],
    events.map(({ subscriptionId, type, data }) => [subscriptionId, type, JSON.stringify(data)]),
  )
  await queryRows(
    trx,
    sql`insert into events (subscription_id, position, type, data)
        select n.subscription_id, ${raw(POSITION)}, n.type, n.data
        from (values ${rows}) n (subscription_id, type, data)
        join event_recording using (subscription_id)
        cross join event_clock clock`,
  )
}
