import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { type Sql, sql, valueRows } from '../postgres/sql.ts'
import type { EventPosition } from './event-position.ts'
import { recordEvents } from './record-events.ts'
import { heldBy } from './webhook-conditions.ts'
import { type Attempt, attemptRows, trimLog } from './webhook-deliveries.ts'
import type { WebhookKey } from './webhook-secrets.ts'
import type { DueEvent } from './webhook-window.ts'

/** An attempt that failed. */
export interface FailedEvent {
  readonly event: DueEvent
  /** When to try again; null: never. */
  readonly dueAt: Date | null
}

/** The result of delivering a window. */
export interface WindowOutcome {
  readonly attempts: readonly Attempt[]
  readonly delivered: readonly DueEvent[]
  readonly failed: readonly FailedEvent[]
  /** Passed by without an attempt: they wait behind one that failed. */
  readonly held: readonly DueEvent[]
  /** Events up to here are delivered, failed or held. */
  readonly reached: EventPosition
  /** The same of a replay; null: it is done, undefined: there is none. */
  readonly replayReached: EventPosition | null | undefined
  /** Failures in a row of the whole receiver; 0: it takes some. */
  readonly failures: number
  /** When the receiver is called again. */
  readonly dueAt: Date
  readonly disable: 'failing' | 'gone' | undefined
}

const placeRows = (events: readonly EventPosition[]): Sql =>
  valueRows(
    ['bigint', 'bigint'],
    events.map(({ position, id }) => [position, id]),
  )

/**
 * Stores the result of a window, all or nothing.
 *
 * @returns false, and nothing is stored, if the worker does not hold the webhook any more: another one delivers the same events again.
 */
export async function settleWindow(
  db: Db,
  key: WebhookKey,
  holder: string,
  outcome: WindowOutcome,
): Promise<boolean> {
  const { subscriptionId, id } = key
  const { delivered, failed, held, disable } = outcome
  const over = [...delivered, ...failed.filter(({ dueAt }) => dueAt === null).map(({ event }) => event)]
  const isRetried = over.some(({ failedSince }) => failedSince)
  const store = async (trx: Db): Promise<boolean> => {
    const moved = await moveOn(trx, key, holder, outcome)
    if (!moved) return false
    if (isRetried)
      await queryRows(
        trx,
        sql`delete from webhook_retries r using (values ${placeRows(over)}) v (position, event_id)
            where r.subscription_id = ${subscriptionId} and r.webhook_id = ${id}
              and r.position = v.position and r.event_id = v.event_id`,
      )
    const later = failed.flatMap(({ event, dueAt }) => (dueAt ? [{ event, dueAt }] : []))
    if (later.length > 0) await keepFailed(trx, key, later)
    if (held.length > 0) await holdBack(trx, key, held)
    if (moved.wasFailing && delivered.length > 0)
      await queryRows(
        trx,
        sql`update webhook_retries set due_at = now() where subscription_id = ${subscriptionId} and webhook_id = ${id}`,
      )
    if (disable) await disableWebhook(trx, key, disable)
    return true
  }
  // usually everything was delivered: one statement, which is a transaction of its own
  const isPlain = failed.length === 0 && held.length === 0 && !isRetried && !disable
  const settled = isPlain ? await store(db) : await db.transaction(store)
  if (settled && Math.random() < outcome.attempts.length / TRIM_EVERY) await trimLog(db, key)
  return settled
}

/** Moves a webhook behind the events of a window, and logs the attempts. @returns undefined if the worker does not hold it. */
async function moveOn(
  trx: Db,
  { subscriptionId, id }: WebhookKey,
  holder: string,
  { attempts, delivered, failed, reached, replayReached, failures, dueAt }: WindowOutcome,
): Promise<{ wasFailing: boolean } | undefined> {
  const hasSuccess = delivered.length > 0
  const [moved] = await queryRows<{ wasFailing: boolean }>(
    trx,
    sql`with w as (
          select w.subscription_id, w.id, w.failures > 0 as was_failing from webhooks w
          where w.subscription_id = ${subscriptionId} and w.id = ${id} and ${heldBy(holder)} for no key update
        ), moved as (
          update webhooks t set
            position = ${reached.position}, event_id = ${reached.id}, failures = ${failures}, due_at = ${dueAt},
            replay_position = case when ${replayReached === undefined} then t.replay_position else ${replayReached?.position ?? null}::bigint end,
            replay_event_id = case when ${replayReached === undefined} then t.replay_event_id else ${replayReached?.id ?? null}::bigint end,
            delivered_at = case when ${hasSuccess} then now() else t.delivered_at end,
            failing_since = case when ${hasSuccess} then null when ${failed.length > 0} then coalesce(t.failing_since, now())
                            else t.failing_since end
          from w where t.subscription_id = w.subscription_id and t.id = w.id
        ), logged as (
          insert into webhook_deliveries
            (subscription_id, webhook_id, at, event_public_id, type, attempt, outcome, status, answer, ms)
          select w.subscription_id, w.id, a.* from w cross join ${attemptRows(attempts)}
        )
        select was_failing as "wasFailing" from w`,
  )
  return moved
}

/** Keeps events for another attempt; later ones of the same datasets wait as long. */
async function keepFailed(
  trx: Db,
  { subscriptionId, id }: WebhookKey,
  failed: readonly { readonly event: DueEvent; readonly dueAt: Date }[],
): Promise<void> {
  const rows = valueRows(
    ['bigint', 'bigint', 'bigint', 'integer', 'timestamptz'],
    failed.map(({ event, dueAt }) => [
      ...[event.position, event.id, event.datasetId, event.attempts + 1, dueAt.toISOString()],
    ]),
  )
  await queryRows(
    trx,
    sql`with kept as (
          insert into webhook_retries as r
            (subscription_id, webhook_id, position, event_id, dataset_id, attempts, due_at)
          select ${subscriptionId}, ${id}, v.* from (values ${rows}) v
          on conflict (subscription_id, webhook_id, position, event_id) do update set
            attempts = excluded.attempts, due_at = excluded.due_at
          returning position, event_id, dataset_id, due_at
        )
        update webhook_retries r set due_at = k.due_at from kept k
        where r.subscription_id = ${subscriptionId} and r.webhook_id = ${id} and r.dataset_id = k.dataset_id
          and (r.position, r.event_id) > (k.position, k.event_id)`,
  )
}

/** Keeps events that were passed by: until those before them of the same dataset are due, or for the next window. */
async function holdBack(
  trx: Db,
  { subscriptionId, id }: WebhookKey,
  held: readonly DueEvent[],
): Promise<void> {
  const rows = valueRows(
    ['bigint', 'bigint', 'bigint'],
    held.map(({ position, id: eventId, datasetId }) => [position, eventId, datasetId]),
  )
  await queryRows(
    trx,
    sql`insert into webhook_retries
          (subscription_id, webhook_id, position, event_id, dataset_id, attempts, due_at)
        select ${subscriptionId}, ${id}, v.position, v.event_id, v.dataset_id, 0, coalesce((
          select max(due_at) from webhook_retries r
          where r.subscription_id = ${subscriptionId} and r.webhook_id = ${id} and r.dataset_id = v.dataset_id
        ), now())
        from (values ${rows}) v (position, event_id, dataset_id)
        on conflict do nothing`,
  )
}

/** Attempts after which the log is trimmed, on average. */
const TRIM_EVERY = 500

/** Disables a webhook, records an event, and adds it to the audit log. */
async function disableWebhook(
  trx: Db,
  { subscriptionId, id }: WebhookKey,
  reason: 'failing' | 'gone',
): Promise<void> {
  const [row] = await queryRows<{ label: string }>(
    trx,
    sql`update webhooks set disabled_at = now(), disabled_reason = ${reason}
        where subscription_id = ${subscriptionId} and id = ${id} returning label`,
  )
  await recordEvents(trx, [
    { subscriptionId, type: 'alert.webhook_disabled', data: { webhookId: id, label: row?.label, reason } },
  ])
  await recordAudit(trx, {
    subscriptionId,
    actor: { kind: 'service', id: null, name: 'webhooks' },
    ...{ action: 'webhook.disable', subject: String(id), detail: { label: row?.label, reason } },
  })
}
