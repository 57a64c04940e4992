import { type Db, queryRows } from '../postgres/database.ts'
import { type Sql, sql } from '../postgres/sql.ts'
import { BOUND, type EventPosition } from './event-position.ts'
import { EVENT_FIELDS, type StoredEvent } from './read-events.ts'
import { heldBy, isOfWebhook, isServed, MAX_RETRIES } from './webhook-conditions.ts'
import { LIVE_SECRETS, type WebhookKey } from './webhook-secrets.ts'

/** An event to deliver. */
export interface DueEvent extends StoredEvent {
  /** Attempts before. */
  readonly attempts: number
  /** Since its first failure; null without one. */
  readonly failedSince: Date | null
  /** Whether an earlier event of its dataset waits for another attempt, so that this one has to wait too. */
  readonly isHeld: boolean
}

/** The events to deliver next to a webhook. */
export interface DueWindow {
  readonly url: string
  readonly sealedSecrets: readonly Buffer[]
  readonly failures: number
  /** Events that failed before, and wait for another attempt. */
  readonly failing: number
  readonly failingSince: Date | null
  /** The first of each dataset that failed before. */
  readonly retries: readonly DueEvent[]
  readonly start: EventPosition
  /** New ones, in order. */
  readonly next: readonly DueEvent[]
  /** Position behind all new events, and behind events between them that the filter leaves out. */
  readonly end: EventPosition
  /** Those to deliver again; undefined if there is no replay. */
  readonly replay:
    | {
        readonly events: readonly DueEvent[]
        readonly start: EventPosition
        readonly end: EventPosition | null
      }
    | undefined
  /** Whether there may be more to deliver at once. */
  readonly isFull: boolean
}

/** Whether nothing has to be delivered or passed by. */
export const isEmpty = ({ retries, next, start, end, replay }: DueWindow): boolean =>
  retries.length === 0 &&
  next.length === 0 &&
  !replay &&
  start.position === end.position &&
  start.id === end.id

/** Events of one window; those of a replay besides new ones, or as many as those if there are none. */
const WINDOW = { retries: 64, next: 256, replay: 64 }

/** Events for a receiver that rejects every event: one that failed before and a new one, which shows whether only the first is rejected. */
const PROBE = { retries: 1, next: 1, replay: 0 }

/** Events that one statement looks at where a filter leaves some out. */
const SCANNED = 2_000

interface State extends EventPosition {
  readonly url: string
  readonly sealedSecrets: readonly Buffer[]
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

/** Reads what to deliver next to a webhook; undefined if it is disabled or deleted, its subscription is suspended, or another worker holds it. */
export async function findWindow(
  db: Db,
  { subscriptionId, id }: WebhookKey,
  holder: string,
): Promise<DueWindow | undefined> {
  const [state] = await queryRows<State>(
    db,
    sql`select w.url, ${LIVE_SECRETS} as "sealedSecrets", w.failures, w.failing_since as "failingSince", w.types, w.position, w.event_id as id,
               w.replay_position as "replayPosition", w.replay_event_id as "replayEventId",
               w.replay_since as since, w.replay_until as until,
               (select count(*)::int from webhook_retries r where ${isOfWebhook}) as retries,
               (select count(*)::int from webhook_retries r where ${isOfWebhook} and r.attempts > 0) as failing
        from webhooks w where w.subscription_id = ${subscriptionId} and w.id = ${id} and ${heldBy(holder)} and ${isServed}`,
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

  // It may have been changed since: an event that was recorded after that must not be delivered as before.
  const isUnchanged = sql`exists (
    select from webhooks w where w.subscription_id = ${subscriptionId} and w.id = ${id} and ${heldBy(holder)} and ${isServed}
      and w.url = ${state.url} and w.types = ${state.types}::text[])`

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

  const retries = state.retries > 0 ? await listRetries(db, { subscriptionId, id }, state, size.retries) : []
  const nextSize = Math.min(size.next, room)
  const start = { position: state.position, id: state.id }
  const next = nextSize > 0 ? await scan(start, nextSize, isUnchanged) : { events: [], end: undefined }
  const replayStart =
    state.replayPosition === null || state.replayEventId === null
      ? undefined
      : { position: state.replayPosition, id: state.replayEventId }
  const unused = nextSize - next.events.length
  const replaySize =
    size.replay === 0 ? 0 : Math.min(Math.max(size.replay, unused), room - next.events.length)
  const replayed =
    replayStart === undefined || replaySize <= 0
      ? undefined
      : await scan(
          replayStart,
          replaySize,
          sql`e.webhook_id is null and e.at >= ${state.since} and e.at < ${state.until}
              and (e.position, e.id) <= (${state.position}::bigint, ${state.id}::bigint)`,
        )
  return {
    ...{ url: state.url, sealedSecrets: state.sealedSecrets },
    ...{ failures, failing: state.failing, failingSince: state.failingSince, retries },
    ...{ start, next: next.events, end: next.end ?? start },
    replay: replayed &&
      replayStart && { events: replayed.events, start: replayStart, end: replayed.end ?? null },
    isFull: next.events.length === nextSize || retries.length === size.retries || replayed !== undefined,
  }
}

/**
 * Lists the first event of each dataset that waits for another attempt, if it is due. For a receiver that rejects every event, those with the
 * fewest attempts come first: it may never accept the oldest one.
 */
const listRetries = (
  db: Db,
  { subscriptionId, id }: WebhookKey,
  { failures }: Pick<State, 'failures'>,
  limit: number,
): Promise<DueEvent[]> =>
  queryRows(
    db,
    sql`select ${EVENT_FIELDS}, r.attempts, r.failed_since as "failedSince", false as "isHeld"
        from (
          select distinct on (coalesce(dataset_id, -event_id)) * from webhook_retries
          where subscription_id = ${subscriptionId} and webhook_id = ${id}
          order by coalesce(dataset_id, -event_id), position, event_id
        ) r
        join events e on e.subscription_id = r.subscription_id and e.position = r.position and e.id = r.event_id
        where r.due_at <= now() or ${failures > 0}
        order by case when ${failures > 0} then r.attempts end, r.position, r.event_id limit ${limit}`,
  )
