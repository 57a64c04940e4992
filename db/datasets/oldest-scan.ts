import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'

/**
 * Where a process begins to look for the oldest upload that was never settled.
 *
 * Ids rise with time, and a settled upload never waits for the first time again. So once an id is older than any transaction may be, no
 * upload below it begins to wait, and the next scan can begin there. The index keeps the entries of settled uploads for as long as a snapshot
 * of before is in use: scans from its beginning would read all of them each time.
 */
export interface OldestScan {
  /** No upload with a lower id waits, except those of `firsts` and later ones of their subscriptions. */
  since: number
  /** The first waiting upload of subscriptions that have one below `since`. */
  firsts: ReadonlyMap<number, number>
  /** The newest id at a time in milliseconds of `performance.now`. */
  newest: { readonly id: number; readonly at: number } | undefined
  /** When a scan last began at the first upload, by the same clock. */
  wholeAt: number
}

/** Opens a scan that begins at the first upload. */
export const openOldestScan = (): OldestScan => ({
  since: 0,
  firsts: new Map(),
  newest: undefined,
  wholeAt: Number.NEGATIVE_INFINITY,
})

/** Longer than any transaction that inserts uploads: each of its statements and pauses is limited to 15 s. */
const COMMIT_MS = 30_000

/** How often a scan begins at the first upload nevertheless, in case a failover has lost settlements. */
const WHOLE_MS = 600_000

/**
 * Condition and order of uploads that were never settled, oldest first.
 *
 * No status follows `received` in any locale. An equality would let the planner walk the primary key instead, through all ready
 * datasets, once it has analysed the table in a burst; this order has one index.
 */
export const FIRST_UPLOADS = raw("status >= 'received' order by status, id")

interface First {
  readonly newest: number
  /** null without a waiting upload. */
  readonly subscriptionId: number | null
  readonly id: number
  readonly seconds: number
}

/**
 * Returns how many seconds the oldest upload of all subscriptions has waited that was never settled; null if there is none.
 *
 * Reads one row of each subscription, however many wait and in whatever order the relay enqueues them: 5 ms for 1,000 subscriptions.
 */
export async function findOldest(db: Db, scan: OldestScan): Promise<number | null> {
  const startedAt = performance.now()
  const isWhole = startedAt - scan.wholeAt >= WHOLE_MS
  const { since, firsts } = isWhole ? openOldestScan() : scan
  const rows = await queryRows<First>(
    db,
    sql`select coalesce(pg_sequence_last_value(pg_get_serial_sequence('datasets', 'id')), 0) as newest,
               waiting.subscription_id as "subscriptionId", waiting.id, waiting.seconds
        from (values (1)) one
        left join (
          select s.id as subscription_id, first.id, extract(epoch from now() - first.uploaded_at)::float as seconds
          from subscriptions s
          left join unnest(${[...firsts.keys()]}::integer[], ${[...firsts.values()]}::bigint[]) known (subscription_id, id)
            on known.subscription_id = s.id
          cross join lateral (
            select id, uploaded_at from datasets
            where subscription_id = s.id and id >= coalesce(known.id, ${since}) and ${FIRST_UPLOADS} limit 1
          ) first
        ) waiting on true`,
  )
  if (isWhole) scan.wholeAt = startedAt
  const waiting = rows.flatMap(({ subscriptionId, ...first }) =>
    subscriptionId === null ? [] : [{ subscriptionId, ...first }],
  )
  const { newest } = scan
  if (newest === undefined || startedAt - newest.at >= COMMIT_MS) {
    if (newest) {
      scan.since = newest.id + 1
      scan.firsts = new Map(
        waiting.filter(({ id }) => id <= newest.id).map(({ subscriptionId, id }) => [subscriptionId, id]),
      )
    }
    scan.newest = { id: rows[0]?.newest ?? 0, at: performance.now() }
  }
  return waiting.length === 0 ? null : Math.max(...waiting.map(({ seconds }) => seconds))
}
