import { type Db, queryRows, sixDigits } from '../postgres/database.ts'

/** What was recorded: who changed what in a subscription. */
export interface AuditEvent {
  readonly id: number
  /** UTC, six fractional digits. */
  readonly at: string
  /** An e-mail, or as in `operator ann` or `retention`. */
  readonly actor: string
  /** One of `AUDIT_ACTIONS`; of another version perhaps another. */
  readonly action: string
  readonly subject: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** Which events are meant: those to which all of this applies. */
export interface AuditSelection {
  /** The actor holds this text, in whatever case. */
  readonly actor?: string | undefined
  /** Exactly; with a dot at the end, all that begin with it. */
  readonly action?: string | undefined
  /** At this instant or later; any text that Postgres reads as a time. */
  readonly since?: string | undefined
  /** Before this instant. */
  readonly until?: string | undefined
}

/** How far a list has come. */
type AuditCursor = Pick<AuditEvent, 'id' | 'at'>

/** Events that a call looks at. Measured: 12 ms each, also among 300,000. */
const MAX_SCANNED = 20_000

/** How much later than its id says an event may have happened, or earlier: transactions are short. */
const SLACK = '1 minute'

/**
 * The selected events, newest first, at most `limit`.
 *
 * Looks at no more than 20,000 events: ids rise with time, so that times are found by halving, and what else is asked for is
 * looked for from there on. No index has to know it.
 *
 * @param before only events of smaller ids.
 * @returns `next`: the `before` of what comes next, also where little or nothing was found so far, and when that was; undefined
 * at the end.
 */
export async function listAuditEvents(
  db: Db,
  subscriptionId: number,
  { before, limit, ...selection }: AuditSelection & { before: number | undefined; limit: number },
): Promise<{ events: AuditEvent[]; next: AuditCursor | undefined }> {
  const from = (await findFirstAfter(db, subscriptionId, selection.since, `- interval '${SLACK}'`)) ?? 0
  const to = await findFirstAfter(db, subscriptionId, selection.until, `+ interval '${SLACK}'`)
  const range = [subscriptionId, from, Math.min(before ?? MAX_ID, to ?? MAX_ID)]
  const { sql, bindings } = conditionsOf(selection)
  const found = await queryRows<AuditEvent>(
    db,
    `select id, ${sixDigits('at')} as at, actor, action, subject, detail
     from (
       select * from audit_events where subscription_id = ? and id >= ? and id < ? order by id desc limit ${MAX_SCANNED}
     ) e
     where true ${sql} order by id desc limit ?`,
    [...range, ...bindings, limit + 1],
  )
  const events = found.slice(0, limit)
  const last = events.at(-1)
  if (found.length > limit) return { events, next: last }
  const [end] = await queryRows<AuditCursor>(
    db,
    `select id, ${sixDigits('at')} as at from audit_events where subscription_id = ? and id >= ? and id < ?
     order by id desc offset ${MAX_SCANNED - 1} limit 1`,
    range,
  )
  // events that came in between push the end away from what was looked at: never back over what was found
  return { events, next: end && last && last.id < end.id ? last : end }
}

const MAX_ID = Number.MAX_SAFE_INTEGER

function conditionsOf({ actor, action, since, until }: AuditSelection): { sql: string; bindings: unknown[] } {
  const conditions: [sql: string, binding: unknown][] = []
  if (actor !== undefined) conditions.push(['strpos(lower(actor), lower(?)) > 0', actor])
  if (action?.endsWith('.')) conditions.push(['starts_with(action, ?)', action])
  else if (action !== undefined) conditions.push(['action = ?', action])
  if (since !== undefined) conditions.push(['at >= ?::timestamptz', since])
  if (until !== undefined) conditions.push(['at < ?::timestamptz', until])
  return {
    sql: conditions.map(([sql]) => ` and ${sql}`).join(''),
    bindings: conditions.map(([, binding]) => binding),
  }
}

/**
 * Halves the ids of a subscription's events until it has the first that happened at this instant or later, or the one after
 * the last: a look at one row for each of the id's bits, however many there are. Undefined where no instant is given, or there is
 * no event.
 */
async function findFirstAfter(
  db: Db,
  subscriptionId: number,
  instant: string | undefined,
  shift: string,
): Promise<number | undefined> {
  if (instant === undefined) return undefined
  const [found] = await queryRows<{ id: number }>(
    db,
    `with recursive given as (select ?::int as subscription_id, ?::timestamptz ${shift} as at),
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
    [subscriptionId, instant],
  )
  return found?.id
}
