import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { join, raw, type Sql, sql } from '../postgres/sql.ts'
import type { Actor } from './actor.ts'
import type { NewAuditEvent } from './audit-events.ts'

/** An entry of a subscription's audit log. */
export interface AuditEvent {
  readonly id: number
  /** UTC, six fractional digits. */
  readonly at: string
  /** An e-mail address, or such as `operator ann` or `retention`. */
  readonly actor: string
  /** null in records of earlier versions. */
  readonly actorKind: Actor['kind'] | null
  /** Id of the user or key. */
  readonly actorId: number | null
  /** Address of the request, if there was one. */
  readonly address: string | null
  /** One of `AUDIT_ACTIONS`, or one of another version of this service. */
  readonly action: string
  readonly subject: string | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly outcome: NonNullable<NewAuditEvent['outcome']>
}

/** The filters of a list; an event has to match all of them. */
export interface AuditSelection {
  /** Text contained in the actor; case-insensitive. */
  readonly actor?: string | undefined
  /** The exact action; with a dot at the end, its beginning. */
  readonly action?: string | undefined
  /** At this time or later; any text that Postgres reads as a time. */
  readonly since?: string | undefined
  /** Before this time. */
  readonly until?: string | undefined
}

/** The event after which a list continues. */
type AuditCursor = Pick<AuditEvent, 'id' | 'at'>

/** Events that a call reads. Measured: 12 ms, also among 300,000. */
const MAX_SCANNED = 20_000

/** How far times may deviate from the order of ids: transactions are short. */
const SLACK = raw("interval '1 minute'")

/**
 * Lists up to `limit` of the selected events, newest first.
 *
 * Reads no more than 20,000 events: ids rise with time, so times are found by binary search, and the other filters are checked
 * for each event from there on. No further index is needed.
 *
 * @param before only events of smaller ids.
 * @returns `next`: the `before` of the next page and its time, also if little or nothing was found so far; undefined at the end.
 */
export async function listAuditEvents(
  db: Db,
  subscriptionId: number,
  { before, limit, ...selection }: AuditSelection & { before: number | undefined; limit: number },
): Promise<{ events: AuditEvent[]; next: AuditCursor | undefined }> {
  const from = (await findFirstAfter(db, subscriptionId, selection.since, sql`- ${SLACK}`)) ?? 0
  const to = await findFirstAfter(db, subscriptionId, selection.until, sql`+ ${SLACK}`)
  const range = sql`subscription_id = ${subscriptionId} and id >= ${from}
    and id < ${Math.min(before ?? MAX_ID, to ?? MAX_ID)}`
  const found = await queryRows<AuditEvent>(
    db,
    sql`select id, ${utcText('at')} as at, actor, actor_kind as "actorKind", actor_id as "actorId", address,
               action, subject, detail, outcome
        from (select * from audit_events where ${range} order by id desc limit ${MAX_SCANNED}) e
        where ${matches(selection)} order by id desc limit ${limit + 1}`,
  )
  const events = found.slice(0, limit)
  const last = events.at(-1)
  if (found.length > limit) return { events, next: last }
  const [end] = await queryRows<AuditCursor>(
    db,
    sql`select id, ${utcText('at')} as at from audit_events where ${range}
        order by id desc offset ${MAX_SCANNED - 1} limit 1`,
  )
  // events inserted between the two statements move the end up: never above the last event found
  return { events, next: end && last && last.id < end.id ? last : end }
}

const MAX_ID = Number.MAX_SAFE_INTEGER

function matches({ actor, action, since, until }: AuditSelection): Sql {
  const conditions = [sql`true`]
  if (actor !== undefined) conditions.push(sql`strpos(lower(actor), lower(${actor})) > 0`)
  if (action?.endsWith('.')) conditions.push(sql`starts_with(action, ${action})`)
  else if (action !== undefined) conditions.push(sql`action = ${action}`)
  if (since !== undefined) conditions.push(sql`at >= ${since}::timestamptz`)
  if (until !== undefined) conditions.push(sql`at < ${until}::timestamptz`)
  return join(conditions, ' and ')
}

/**
 * Finds the id of a subscription's first event at this time or later, or the one after the last, by binary search: one row is read
 * for each bit of the ids, however many events there are. Undefined without a time, or if there is no event.
 */
async function findFirstAfter(
  db: Db,
  subscriptionId: number,
  timestamp: string | undefined,
  shift: Sql,
): Promise<number | undefined> {
  if (timestamp === undefined) return undefined
  const [found] = await queryRows<{ id: number }>(
    db,
    sql`with recursive given as (select ${subscriptionId}::int as subscription_id, ${timestamp}::timestamptz ${shift} as at),
     halves (low, high) as (
       select (select e.id from audit_events e, given g where e.subscription_id = g.subscription_id order by e.id limit 1),
              (select e.id + 1 from audit_events e, given g where e.subscription_id = g.subscription_id
               order by e.id desc limit 1)
       union all
       select case when probe.at < g.at then probe.id + 1 else h.low end,
              case when probe.at < g.at then h.high else (h.low + h.high) / 2 end
       from halves h, given g, lateral (
         select e.id, e.at from audit_events e
         where e.subscription_id = g.subscription_id and e.id >= (h.low + h.high) / 2 order by e.id limit 1
       ) probe
       where h.low < h.high
     )
     select low as id from halves where low >= high limit 1`,
  )
  return found?.id
}
