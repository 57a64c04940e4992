import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql, valueRows } from '../postgres/sql.ts'
import type { EventType } from './event-types.ts'
import { recordingOf } from './record-events.ts'

/** An event that is recorded once a day, however many processes notice it, and however often. */
export interface DailyAlert {
  readonly subscriptionId: number
  readonly type: EventType & `alert.${string}`
  /** In UTC, as in 2026-11-23. */
  readonly day: string
  /** What it is about: another subject has an event of its own on the same day. */
  readonly subject: string
  readonly data: object
}

/** Days for which recorded alerts are stored: no alert is about an earlier day. */
const KEPT_DAYS = 3

/** Rows of `recordingOf`: alerts that were not recorded before. */
const FRESH = `
  select g.subscription_id, null::bigint as dataset_id, g.type, g.data
  from fresh join given g using (subscription_id, day, type, subject)`

/**
 * Records the alerts that were not recorded before. Those of subscriptions of which nothing is recorded leave no trace: they are recorded if they
 * are still noticed when recording has begun.
 *
 * Rows are written in the order of their key: otherwise concurrent processes deadlock.
 */
export async function recordDailyAlerts(db: Db, alerts: readonly DailyAlert[]): Promise<void> {
  if (alerts.length === 0) return
  const rows = valueRows(
    ['integer', 'date', 'text', 'text', 'jsonb'],
    alerts.map(({ subscriptionId, day, type, subject, data }) => [
      ...[subscriptionId, day, type, subject, JSON.stringify(data)],
    ]),
  )
  await queryRows(
    db,
    sql`with given (subscription_id, day, type, subject, data) as (values ${rows}), fresh as (
          insert into daily_alerts (subscription_id, day, type, subject)
          select subscription_id, day, type, subject from given join event_recording using (subscription_id)
          order by subscription_id, day, type, subject
          on conflict do nothing returning subscription_id, day, type, subject
        ), trimmed as (
          delete from daily_alerts where ctid = any(array(
            select a.ctid from daily_alerts a
            where a.subscription_id in (select subscription_id from fresh) and a.day < current_date - ${KEPT_DAYS}::integer
            for update skip locked
          ))
        )
        ${raw(recordingOf(FRESH))}`,
  )
}
