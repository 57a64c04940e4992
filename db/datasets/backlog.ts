import { type Db, queryRows } from '../postgres/database.ts'
import { isStatementTimeout } from '../postgres/database-errors.ts'
import { raw, sql } from '../postgres/sql.ts'
import { FIRST_UPLOADS, findOldest, type OldestScan, openOldestScan } from './oldest-scan.ts'
import { ENQUEUE_TIMEOUT } from './outbox.ts'
import { findOverdue, type OverdueScan, openOverdueScan, ringsSince } from './overdue-scan.ts'

/** The datasets of all subscriptions that wait to be processed. */
export interface Backlog {
  /** At most the limit of the count: there may be more. */
  readonly datasets: number
  /** How long the oldest upload that was never settled has waited, however many wait; 0 if there is none. */
  readonly oldestSeconds: number
}

/** Where the next measurement begins; see `OverdueScan` and `OldestScan`. */
export interface BacklogScan {
  readonly overdue: OverdueScan
  readonly oldest: OldestScan
}

/** Opens a scan that begins at the first waiting datasets. */
export const openBacklogScan = (): BacklogScan => ({
  overdue: openOverdueScan(),
  oldest: openOldestScan(),
})

/** Counts up to `limit` waiting datasets, 10,000 of them in 10 ms, and finds the oldest. */
export async function measureBacklog(
  db: Db,
  limit: number,
  scan: BacklogScan = openBacklogScan(),
): Promise<Backlog> {
  const [datasets, oldestSeconds] = await Promise.all([
    countWaiting(db, limit, scan.overdue),
    findOldest(db, scan.oldest),
  ])
  return { datasets, oldestSeconds: oldestSeconds ?? 0 }
}

async function countWaiting(db: Db, limit: number, scan: OverdueScan): Promise<number> {
  await findOverdue(db, scan)
  const [count] = await queryRows<{ datasets: number }>(
    db,
    sql`select count(*)::int as datasets
        from (select from datasets where ${ringsSince(scan.since)} order by ring_at limit ${limit}) waiting`,
  )
  return count?.datasets ?? 0
}

/** The datasets of one subscription that wait to be processed. */
export interface SubscriptionBacklog {
  /** Uploads that were never settled; there may be more if `atLeast`. */
  readonly datasets: number
  readonly atLeast: boolean
  /** How long the oldest of them has waited, however many wait; null if there is none. */
  readonly oldestSeconds: number | null
  /** Datasets that wait longer than a healthy queue takes: they were enqueued again, or are about to be. */
  readonly overdue: number
  /** Datasets that were settled before and wait to be processed again. */
  readonly again: number
}

/** Datasets read by each statement: some 10 ms. */
export const MAX_SCANNED = 10_000

export const OVERDUE = raw('(rings > 0 or ring_at <= now())')

/**
 * Counts in the outbox of all subscriptions, those first that timed out longest ago, by the index that the relay reads every 2 s.
 * If the outbox is longer than that, counts the subscription's own uploads alone, for at most one second.
 */
export async function measureSubscriptionBacklog(
  db: Db,
  subscriptionId: number,
): Promise<SubscriptionBacklog> {
  const [backlog] = await queryRows<SubscriptionBacklog>(
    db,
    sql`select count(*) filter (where own and fresh)::int as datasets, count(*) = ${MAX_SCANNED} as "atLeast",
               extract(epoch from now() - (
                 select uploaded_at from datasets where subscription_id = ${subscriptionId} and ${FIRST_UPLOADS} limit 1
               ))::float as "oldestSeconds",
               count(*) filter (where own and overdue)::int as overdue,
               count(*) filter (where own and not fresh)::int as again
        from (
          select subscription_id = ${subscriptionId} as own, status = 'received' as fresh, ${OVERDUE} as overdue
          from datasets where ring_at is not null order by ring_at limit ${MAX_SCANNED}
        ) waiting`,
  )
  if (!backlog) throw new Error('A count returned no row')
  if (!backlog.atLeast) return backlog
  try {
    return { ...backlog, ...(await measureOwnUploads(db, subscriptionId)) }
  } catch (error) {
    if (isStatementTimeout(error)) return backlog
    throw error
  }
}

type OwnUploads = Pick<SubscriptionBacklog, 'datasets' | 'atLeast' | 'overdue'>

async function measureOwnUploads(db: Db, subscriptionId: number): Promise<OwnUploads> {
  return db.transaction(async (trx) => {
    await queryRows(trx, sql`set local statement_timeout = '1s'`)
    const [own] = await queryRows<OwnUploads>(
      trx,
      sql`select count(*)::int as datasets, count(*) = ${MAX_SCANNED} as "atLeast",
                 count(*) filter (where overdue)::int as overdue
          from (
            select ${OVERDUE} as overdue from datasets
            where subscription_id = ${subscriptionId} and ${FIRST_UPLOADS} limit ${MAX_SCANNED}
          ) waiting`,
    )
    if (!own) throw new Error('A count returned no row')
    return own
  })
}

/**
 * Restarts the enqueue timeout of up to `limit` overdue datasets of a subscription; the caller enqueues them. A second call
 * within the timeout does not find them again.
 *
 * Skips those that a worker is processing instead of waiting for them.
 *
 * @returns their ids.
 */
export async function claimOverdue(trx: Db, subscriptionId: number, limit: number): Promise<number[]> {
  const rows = await queryRows<{ id: number }>(
    trx,
    sql`with overdue as (
          select id from (
            select subscription_id, id, ${OVERDUE} as overdue from datasets
            where ring_at is not null order by ring_at limit ${MAX_SCANNED}
          ) of_all where subscription_id = ${subscriptionId} and overdue
          union
          select id from (
            select id, ${OVERDUE} as overdue from datasets
            where subscription_id = ${subscriptionId} and ${FIRST_UPLOADS} limit ${MAX_SCANNED}
          ) own where overdue
        ), claimed as (
          select subscription_id, id from datasets
          where subscription_id = ${subscriptionId} and id in (select id from overdue) and ring_at is not null
          order by id limit ${limit} for update skip locked
        )
        update datasets d set rings = 0, ring_at = now() + ${raw(ENQUEUE_TIMEOUT)}
        from claimed where d.subscription_id = claimed.subscription_id and d.id = claimed.id
        returning d.id`,
  )
  return rows.map(({ id }) => id).toSorted((a, b) => a - b)
}
