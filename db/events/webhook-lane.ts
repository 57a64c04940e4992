import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { type Sql, sql, valueRows } from '../postgres/sql.ts'
import { BOUND, type EventPosition } from './event-position.ts'
import { EVENT_FIELDS, type StoredEvent } from './read-events.ts'
import { recordEvents } from './record-events.ts'
import { type Attempt, logAttempts, trimLog } from './webhook-deliveries.ts'
import type { WebhookKey } from './webhook-secrets.ts'

/** A worker that delivers, for as long as it renews its leases. */
export interface Lease {
  /** UUID of the worker. */
  readonly holder: string
  readonly seconds: number
}

/** Webhooks of one worker. */
const MAX_LEASED = 500

/** Events of a webhook that wait for another attempt; with more, no further ones are begun. */
const MAX_RETRIES = 1_000

/** Leases webhooks that no other worker delivers to, and renews those of this one. @returns all that it holds. */
export async function leaseWebhooks(db: Db, { holder, seconds }: Lease): Promise<WebhookKey[]> {
  return queryRows(
    db,
    sql`update webhooks w set leased_by = ${holder}, leased_until = now() + make_interval(secs => ${seconds}::double precision)
        from (
          select w.subscription_id, w.id from webhooks w
          join subscriptions s on s.id = w.subscription_id and s.suspended_at is null
          where w.disabled_at is null
            and (w.leased_by = ${holder} or w.leased_until is null or w.leased_until < now())
          order by w.leased_by is distinct from ${holder}, w.leased_until nulls first limit ${MAX_LEASED}
          for update of w skip locked
        ) k
        where w.subscription_id = k.subscription_id and w.id = k.id
        returning w.subscription_id as "subscriptionId", w.id`,
  )
}

/** Ends the leases of a worker that stops. */
export async function endLeases(db: Db, holder: string): Promise<void> {
  await queryRows(
    db,
    sql`update webhooks set leased_by = null, leased_until = null where leased_by = ${holder}`,
  )
}

/** Conditions on a webhook `w`. */
const heldBy = (holder: string): Sql => sql`w.leased_by = ${holder} and w.disabled_at is null`
const isOfWebhook = sql`r.subscription_id = w.subscription_id and r.webhook_id = w.id`

/** Lists those webhooks of a worker that have something to deliver now. */
export async function listDue(db: Db, holder: string): Promise<WebhookKey[]> {
  return queryRows(
    db,
    sql`select w.subscription_id as "subscriptionId", w.id from webhooks w
        where ${heldBy(holder)} and w.due_at <= now() and (
          exists (
            select from webhook_retries r where ${isOfWebhook} and (r.due_at <= now() or w.failures > 0)
          )
          or (
            (w.replay_position is not null or exists (
              select from events e
              where e.subscription_id = w.subscription_id and (e.position, e.id) > (w.position, w.event_id)
                and e.position < ${BOUND}
            ))
            and (select count(*) from webhook_retries r where ${isOfWebhook}) < ${MAX_RETRIES}
          )
        )`,
  )
}

/** An event to deliver. */
export interface DueEvent extends StoredEvent {
  /** Attempts before. */
  readonly attempts: number
  /** Since its first failure; null without one. */
  readonly failedSince: Date | null
  /** Whether an earlier event of its dataset waits for another attempt, so that this one has to wait too. */
  readonly isHeld: boolean
}

/** What a webhook has to deliver next. */
export interface DueWindow {
  readonly url: string
  readonly failures: number
  /** Events that failed before, and wait for another attempt. */
  readonly failing: number
  readonly failingSince: Date | null
  /** The first of each dataset that failed before. */
  readonly retries: readonly DueEvent[]
  readonly start: EventPosition
  /** New ones, in order. */
  readonly next: readonly DueEvent[]
  /** Behind all new ones, and others between that its filter leaves out. */
  readonly end: EventPosition
  /** Those to deliver again; undefined if there is no replay. */
  readonly replay:
    | {
        readonly events: readonly DueEvent[]
        readonly start: EventPosition
        readonly end: EventPosition | null
      }
    | undefined
}

/** Events of one window. */
const WINDOW = { retries: 64, next: 256, replay: 64 }

/** Of a receiver that takes nothing: one that failed and a new one, which shows whether it is only the first. */
const PROBE = { retries: 1, next: 1, replay: 0 }

/** Events that one statement looks at where a filter leaves some out. */
const SCANNED = 2_000

interface State extends EventPosition {
  readonly url: string
  readonly failures: number
  readonly failingSince: Date | null
  readonly types: readonly string[]
  readonly retries: number
  readonly failing: number
  readonly replayPosition: number | null
  readonly replayEventId: number | null
  readonly since: Date | null
  readonly until: Date | null
}

/** Reads what to deliver next to a webhook; undefined if it is disabled or deleted, or another worker holds it. */
export async function findWindow(
  db: Db,
  { subscriptionId, id }: WebhookKey,
  holder: string,
): Promise<DueWindow | undefined> {
  const [state] = await queryRows<State>(
    db,
    sql`select w.url, w.failures, w.failing_since as "failingSince", w.types, w.position, w.event_id as id,
               w.replay_position as "replayPosition", w.replay_event_id as "replayEventId",
               w.replay_since as since, w.replay_until as until,
               (select count(*)::int from webhook_retries r where ${isOfWebhook}) as retries,
               (select count(*)::int from webhook_retries r where ${isOfWebhook} and r.attempts > 0) as failing
        from webhooks w where w.subscription_id = ${subscriptionId} and w.id = ${id} and ${heldBy(holder)}`,
  )
  if (!state) return undefined
  const { failures } = state
  const size = failures > 0 ? PROBE : WINDOW
  const room = Math.max(0, MAX_RETRIES - state.retries)
  const matches = sql`(e.webhook_id = ${id} or (e.webhook_id is null
    and (${state.types.length === 0} or e.type = any(${state.types}::text[]))))`
  const isHeld = sql`coalesce(e.dataset_id in (
    select dataset_id from webhook_retries where subscription_id = ${subscriptionId} and webhook_id = ${id}
      and dataset_id is not null), false)`

  const scan = async (after: EventPosition, limit: number, within: Sql) => {
    const rows = await queryRows<DueEvent & { isMatch: boolean }>(
      db,
      sql`with scanned as (
            select * from events e
            where e.subscription_id = ${subscriptionId} and (e.position, e.id) > (${after.position}::bigint, ${after.id}::bigint)
              and e.position < ${BOUND} and ${within}
            order by e.position, e.id limit ${state.types.length === 0 ? limit : SCANNED}
          ), due as (
            select ${EVENT_FIELDS}, true as "isMatch", 0 as attempts, null::timestamptz as "failedSince", ${isHeld} as "isHeld"
            from scanned e where ${matches} order by e.position, e.id limit ${limit}
          ), last as (
            select ${EVENT_FIELDS}, false as "isMatch", 0 as attempts, null::timestamptz as "failedSince", false as "isHeld"
            from scanned e order by e.position desc, e.id desc limit 1
          )
          select * from due union all select * from last order by "isMatch" desc, position, id`,
    )
    const events = rows.filter(({ isMatch }) => isMatch)
    const last = events.length === limit ? events.at(-1) : rows.find(({ isMatch }) => !isMatch)
    return { events, end: last && { position: last.position, id: last.id } }
  }

  const retries = await queryRows<DueEvent>(
    db,
    sql`select ${EVENT_FIELDS}, r.attempts, r.failed_since as "failedSince", false as "isHeld"
        from (
          select distinct on (coalesce(dataset_id, -event_id)) * from webhook_retries
          where subscription_id = ${subscriptionId} and webhook_id = ${id}
          order by coalesce(dataset_id, -event_id), position, event_id
        ) r
        join events e on e.subscription_id = r.subscription_id and e.position = r.position and e.id = r.event_id
        where r.due_at <= now() or ${failures > 0}
        order by r.position, r.event_id limit ${size.retries}`,
  )
  const nextSize = Math.min(size.next, room)
  const start = { position: state.position, id: state.id }
  const next = nextSize > 0 ? await scan(start, nextSize, sql`true`) : { events: [], end: undefined }
  const replayStart =
    state.replayPosition === null || state.replayEventId === null
      ? undefined
      : { position: state.replayPosition, id: state.replayEventId }
  const replayed =
    replayStart === undefined || Math.min(size.replay, room - nextSize) <= 0
      ? undefined
      : await scan(
          replayStart,
          size.replay,
          sql`e.webhook_id is null and e.at >= ${state.since} and e.at < ${state.until}
              and (e.position, e.id) <= (${state.position}::bigint, ${state.id}::bigint)`,
        )
  return {
    ...{ url: state.url, failures, failing: state.failing, failingSince: state.failingSince, retries },
    ...{ start, next: next.events, end: next.end ?? start },
    replay: replayed &&
      replayStart && { events: replayed.events, start: replayStart, end: replayed.end ?? null },
  }
}

/** An attempt that failed. */
export interface FailedEvent {
  readonly event: DueEvent
  /** When to try again; null: never. */
  readonly dueAt: Date | null
}

/** What came of a window. */
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
 * Stores what came of a window in one transaction.
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
  const { delivered, failed, held, reached, replayReached, failures, disable } = outcome
  const hasSuccess = delivered.length > 0
  const settled = await db.transaction(async (trx) => {
    const [webhook] = await queryRows<{ wasFailing: boolean }>(
      trx,
      sql`with w as (
            select w.subscription_id, w.id, w.failures > 0 as was_failing from webhooks w
            where w.subscription_id = ${subscriptionId} and w.id = ${id} and ${heldBy(holder)} for no key update
          )
          update webhooks t set
            position = ${reached.position}, event_id = ${reached.id}, failures = ${failures}, due_at = ${outcome.dueAt},
            replay_position = case when ${replayReached === undefined} then t.replay_position else ${replayReached?.position ?? null}::bigint end,
            replay_event_id = case when ${replayReached === undefined} then t.replay_event_id else ${replayReached?.id ?? null}::bigint end,
            delivered_at = case when ${hasSuccess} then now() else t.delivered_at end,
            failing_since = case when ${hasSuccess} then null when ${failed.length > 0} then coalesce(t.failing_since, now())
                            else t.failing_since end
          from w where t.subscription_id = w.subscription_id and t.id = w.id
          returning w.was_failing as "wasFailing"`,
    )
    if (!webhook) return false
    const over = [...delivered, ...failed.filter(({ dueAt }) => dueAt === null).map(({ event }) => event)]
    if (over.some(({ failedSince }) => failedSince))
      await queryRows(
        trx,
        sql`delete from webhook_retries r using (values ${placeRows(over)}) v (position, event_id)
            where r.subscription_id = ${subscriptionId} and r.webhook_id = ${id}
              and r.position = v.position and r.event_id = v.event_id`,
      )
    const later = failed.flatMap(({ event, dueAt }) => (dueAt ? [{ event, dueAt }] : []))
    if (later.length > 0) await keepFailed(trx, key, later)
    if (held.length > 0) await holdBack(trx, key, held)
    if (webhook.wasFailing && hasSuccess)
      await queryRows(
        trx,
        sql`update webhook_retries set due_at = now() where subscription_id = ${subscriptionId} and webhook_id = ${id}`,
      )
    await logAttempts(trx, key, outcome.attempts)
    if (disable) await disableWebhook(trx, key, disable)
    return true
  })
  if (settled && Math.random() < outcome.attempts.length / TRIM_EVERY) await trimLog(db, key)
  return settled
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

/** Disables a webhook; an event, the audit log and the portal say so. */
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

/** Returns for how many seconds the oldest event has waited that is not delivered to an enabled webhook; 0 if there is none. */
export async function measureWaiting(db: Db): Promise<number> {
  const [row] = await queryRows<{ seconds: number }>(
    db,
    sql`select coalesce(extract(epoch from now() - min(oldest.at)), 0)::float8 as seconds
        from webhooks w
        cross join lateral (
          (select e.at from events e
           where e.subscription_id = w.subscription_id and (e.position, e.id) > (w.position, w.event_id)
             and e.position < ${BOUND} order by e.position, e.id limit 1)
          union all
          (select e.at from webhook_retries r
           join events e on e.subscription_id = r.subscription_id and e.position = r.position and e.id = r.event_id
           where ${isOfWebhook} order by r.position, r.event_id limit 1)
        ) oldest
        where w.disabled_at is null`,
  )
  return row?.seconds ?? 0
}
