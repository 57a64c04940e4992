import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { deployFragment, FRAGMENT_KINDS } from '../scorecards/fragments.ts'

/** A tenant. */
export interface Subscription {
  readonly id: number
  readonly name: string
  readonly suspended: boolean
  /** Of a test mode, the subscription that it belongs to; null for all others. */
  readonly testOf: number | null
}

const COLUMNS = raw('id, name, suspended_at is not null as suspended, test_of as "testOf"')

/**
 * Creates a subscription with the standard fragments under their default codes, and the default retention.
 *
 * @throws a unique violation (23505) if the name is taken.
 */
export async function createSubscription(trx: Db, name: string): Promise<Subscription> {
  const [subscription] = await queryRows<Subscription>(
    trx,
    sql`insert into subscriptions (name) values (${name}) returning ${COLUMNS}`,
  )
  if (!subscription) throw new Error('insert returned no row')
  await queryRows(
    trx,
    // without a transaction around it, a worker may have been first
    sql`insert into retention_policies (subscription_id) values (${subscription.id})
        on conflict (subscription_id) do update set blob_days = default, blobs_from = null`,
  )
  for (const kind of FRAGMENT_KINDS.standard) await deployFragment(trx, subscription.id, kind, kind)
  return subscription
}

/** Lists all subscriptions and test modes by name, for operators. */
export async function listSubscriptions(db: Db): Promise<(Subscription & { createdAt: Date })[]> {
  return queryRows(db, sql`select ${COLUMNS}, created_at as "createdAt" from subscriptions order by name`)
}

/** A subscription as the pages of operators list it. */
export interface ListedSubscription extends Subscription {
  readonly createdAt: Date
  /** Whether it is being deleted, or was. */
  readonly deleted: boolean
}

const LISTED = sql`${COLUMNS}, created_at as "createdAt", deleted_at is not null as deleted`

/** Lists up to `limit` subscriptions and test modes in order of their creation, for operators. @param afterId the last one of the page before. */
export async function listSubscriptionPage(
  db: Db,
  { afterId, limit }: { afterId: number | undefined; limit: number },
): Promise<ListedSubscription[]> {
  const after =
    afterId === undefined
      ? sql``
      : sql`where (created_at, id) > (select created_at, id from subscriptions where id = ${afterId})`
  return queryRows(
    db,
    sql`select ${LISTED} from subscriptions ${after} order by created_at, id limit ${limit}`,
  )
}

export async function findListedSubscription(db: Db, id: number): Promise<ListedSubscription | undefined> {
  const [subscription] = await queryRows<ListedSubscription>(
    db,
    sql`select ${LISTED} from subscriptions where id = ${id}`,
  )
  return subscription
}

/** Finds the subscription of this name, or of this id if no subscription has such a name. */
export async function findSubscription(db: Db, nameOrId: string): Promise<Subscription | undefined> {
  const [subscription] = await queryRows<Subscription>(
    db,
    sql`select ${COLUMNS} from subscriptions where name = ${nameOrId} or id::text = ${nameOrId}
        order by name = ${nameOrId} desc limit 1`,
  )
  return subscription
}

/** @throws if there is no subscription of this id. */
export async function findSubscriptionName(db: Db, id: number): Promise<string> {
  const [row] = await queryRows<{ name: string }>(db, sql`select name from subscriptions where id = ${id}`)
  if (!row) throw new Error(`There is no subscription ${id}`)
  return row.name
}

/**
 * Suspends or resumes a subscription with its test mode; processes notice within the few seconds that they cache credentials. One that is being
 * deleted stays suspended.
 *
 * @returns whether anything changed.
 */
export async function suspendSubscription(db: Db, id: number, suspended: boolean): Promise<boolean> {
  const changed = await queryRows(
    db,
    sql`update subscriptions set suspended_at = case when ${suspended}::boolean then now() end
        where (id = ${id} or test_of = ${id}) and deleted_at is null and (suspended_at is not null) <> ${suspended}
        returning 1`,
  )
  return changed.length > 0
}

/**
 * Suspends or resumes a subscription as `suspendSubscription` does, and records it in its audit log.
 *
 * @returns whether anything changed; otherwise nothing is recorded.
 */
export async function changeSuspension(
  db: Db,
  { subscriptionId, suspended, actor }: { subscriptionId: number; suspended: boolean; actor: Actor },
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const changed = await suspendSubscription(trx, subscriptionId, suspended)
    const action = suspended ? 'subscription.suspend' : 'subscription.resume'
    if (changed) await recordAudit(trx, { subscriptionId, actor, action })
    return changed
  })
}
