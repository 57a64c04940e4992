import { type Db, queryRows } from '../postgres/database.ts'
import { isStatementTimeout } from '../postgres/database-errors.ts'
import { ENQUEUE_TIMEOUT } from './outbox.ts'

/** What waits to be processed of one subscription. */
export interface SubscriptionBacklog {
  /** Uploads that were never settled; there may be more if `atLeast`. */
  readonly datasets: number
  readonly atLeast: boolean
  /** How long the oldest of them has waited; null where there is none. */
  readonly oldestSeconds: number | null
  /** Those that wait longer than a healthy queue takes, so that they were rung for again or are about to be. */
  readonly overdue: number
  /** Datasets that were settled before and wait to be processed again. */
  readonly again: number
}

/** Datasets looked at, each time: some 10 ms. */
const LOOK_ROWS = 10_000

const OVERDUE = '(rings > 0 or ring_at <= now())'

/**
 * Looks at what waits of all subscriptions, those first whose turn is longest ago: an index that the relay walks every 2 s.
 * Where more waits than is looked at, it looks at the subscription's own uploads alone, for a second at most.
 */
export async function measureSubscriptionBacklog(
  db: Db,
  subscriptionId: number,
): Promise<SubscriptionBacklog> {
  const [seen] = await queryRows<SubscriptionBacklog>(
    db,
    `select count(*) filter (where own and fresh)::int as datasets, count(*) = ? as "atLeast",
            extract(epoch from now() - min(uploaded_at) filter (where own and fresh))::float as "oldestSeconds",
            count(*) filter (where own and overdue)::int as overdue,
            count(*) filter (where own and not fresh)::int as again
     from (
       select subscription_id = ? as own, status = 'received' as fresh, ${OVERDUE} as overdue, uploaded_at
       from datasets where ring_at is not null order by ring_at limit ?
     ) waiting`,
    [LOOK_ROWS, subscriptionId, LOOK_ROWS],
  )
  if (!seen) throw new Error('A count returned no row')
  if (!seen.atLeast) return seen
  try {
    return { ...seen, ...(await measureOwnUploads(db, subscriptionId)) }
  } catch (error) {
    if (isStatementTimeout(error)) return seen
    throw error
  }
}

async function measureOwnUploads(
  db: Db,
  subscriptionId: number,
): Promise<Omit<SubscriptionBacklog, 'again'>> {
  return db.transaction(async (trx) => {
    await queryRows(trx, "set local statement_timeout = '1s'")
    const [own] = await queryRows<Omit<SubscriptionBacklog, 'again'>>(
      trx,
      `select count(*)::int as datasets, count(*) = ? as "atLeast", count(*) filter (where overdue)::int as overdue,
              extract(epoch from now() - min(uploaded_at))::float as "oldestSeconds"
       from (
         select uploaded_at, ${OVERDUE} as overdue from datasets
         where subscription_id = ? and status = 'received' order by id limit ?
       ) waiting`,
      [LOOK_ROWS, subscriptionId, LOOK_ROWS],
    )
    if (!own) throw new Error('A count returned no row')
    return own
  })
}

/**
 * Has patience begin anew with what waits too long of a subscription, oldest first and at most `limit`; whoever calls this rings
 * for them. A second call within 15 s finds those no more.
 *
 * Leaves out those that a worker is at, rather than waiting for them.
 *
 * @returns their ids.
 */
export async function claimOverdue(trx: Db, subscriptionId: number, limit: number): Promise<number[]> {
  const rows = await queryRows<{ id: number }>(
    trx,
    `with overdue as (
       select id from (
         select subscription_id, id, ${OVERDUE} as overdue from datasets
         where ring_at is not null order by ring_at limit ?
       ) of_all where subscription_id = ? and overdue
       union
       select id from (
         select id, ${OVERDUE} as overdue from datasets
         where subscription_id = ? and status = 'received' order by id limit ?
       ) own where overdue
     ), taken as (
       select id from datasets
       where subscription_id = ? and id in (select id from overdue) and ring_at is not null
       order by id limit ? for update skip locked
     )
     update datasets d set rings = 0, ring_at = now() + ${ENQUEUE_TIMEOUT}
     from taken where d.subscription_id = ? and d.id = taken.id
     returning d.id`,
    [LOOK_ROWS, subscriptionId, subscriptionId, LOOK_ROWS, subscriptionId, limit, subscriptionId],
  )
  return rows.map(({ id }) => id).toSorted((a, b) => a - b)
}
