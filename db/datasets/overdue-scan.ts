import { type Db, queryRows } from '../postgres/database.ts'
import { raw, type Sql, sql } from '../postgres/sql.ts'

/**
 * Where a process begins to look for overdue datasets; each task that looks for them has its own.
 *
 * Every `ring_at` lies ahead when it is written, and a transaction commits within seconds. So once a scan has found nothing, only later
 * ones are of interest. The index keeps the entries of settled datasets for as long as a snapshot of before is in use, by a backup, a
 * long query or a replica: scans from its beginning would read all of them each time.
 */
export interface OverdueScan {
  /** The `ring_at` at which the next scan begins; null: at the first one. */
  since: Date | null
  /** When a scan last began at the first one, in milliseconds of `performance.now`. */
  wholeAt: number
}

/** Opens a scan that begins at the first `ring_at`. */
export const openOverdueScan = (): OverdueScan => ({ since: null, wholeAt: Number.NEGATIVE_INFINITY })

/** Longer than a statement may take: what it writes is seen by the next scan, however long it took to commit. */
const COMMIT_MARGIN = raw("interval '20 seconds'")

/**
 * How often a scan begins at the first one nevertheless: for datasets that wait again after a failover has lost their settlement, and for
 * transactions that took even longer.
 */
const WHOLE_MS = 60_000

/** Condition of waiting datasets whose `ring_at` is not before this time, or a little earlier: the clock of Postgres may be set back. */
export const ringsSince = (since: Date | null): Sql =>
  since === null
    ? raw('ring_at is not null')
    : sql`ring_at >= least(${since}::timestamptz, now() - ${COMMIT_MARGIN})`

/** Whether some dataset has exceeded its enqueue timeout; the next scan then begins with the first of them. */
export async function findOverdue(db: Db, scan: OverdueScan): Promise<boolean> {
  const startedAt = performance.now()
  const begun = scan.since
  const isWhole = startedAt - scan.wholeAt >= WHOLE_MS
  const [found] = await queryRows<{ first: Date | null; passed: Date }>(
    db,
    sql`select (
          select ring_at from datasets where ${ringsSince(isWhole ? null : begun)} and ring_at <= now()
          order by ring_at limit 1
        ) as first, now() - ${COMMIT_MARGIN} as passed`,
  )
  if (!found) throw new Error('A scan returned no row')
  const { first, passed } = found
  if (scan.since === begun) {
    // no other scan ended meanwhile, which may have begun elsewhere
    scan.since = first && first < passed ? first : passed
    if (isWhole) scan.wholeAt = startedAt
  }
  return first !== null
}
