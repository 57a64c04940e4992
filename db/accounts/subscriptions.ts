import { type Db, queryRows } from '../postgres/database.ts'
import { deployFragment, FRAGMENT_KINDS } from '../scorecards/fragments.ts'

/** A tenant. */
export interface Subscription {
  readonly id: number
  readonly name: string
  readonly suspended: boolean
}

const COLUMNS = 'id, name, suspended_at is not null as suspended'

/**
 * Makes a subscription with the standard fragments under their default codes.
 *
 * @throws a unique violation (23505) when the name is taken.
 */
export async function createSubscription(trx: Db, name: string): Promise<Subscription> {
  const [subscription] = await queryRows<Subscription>(
    trx,
    `insert into subscriptions (name) values (?) returning ${COLUMNS}`,
    [name],
  )
  if (!subscription) throw new Error('insert returned no row')
  for (const kind of FRAGMENT_KINDS.standard) await deployFragment(trx, subscription.id, kind, kind)
  return subscription
}

/** All subscriptions by name, for operators. */
export async function listSubscriptions(db: Db): Promise<(Subscription & { createdAt: Date })[]> {
  return queryRows(db, `select ${COLUMNS}, created_at as "createdAt" from subscriptions order by name`)
}

/** The subscription of this name, or of this id when it is all digits and no name. */
export async function findSubscription(db: Db, nameOrId: string): Promise<Subscription | undefined> {
  const [subscription] = await queryRows<Subscription>(
    db,
    `select ${COLUMNS} from subscriptions where name = ? or id::text = ? order by name = ? desc limit 1`,
    [nameOrId, nameOrId, nameOrId],
  )
  return subscription
}

/** The name of the subscription of this id. */
export async function findSubscriptionName(db: Db, id: number): Promise<string> {
  const [row] = await queryRows<{ name: string }>(db, 'select name from subscriptions where id = ?', [id])
  if (!row) throw new Error(`There is no subscription ${id}`)
  return row.name
}

/** Suspends or resumes; every process notices within the few seconds that it keeps credentials. */
export async function suspendSubscription(db: Db, id: number, suspended: boolean): Promise<void> {
  await db.raw(
    'update subscriptions set suspended_at = case when ? then coalesce(suspended_at, now()) end where id = ?',
    [suspended, id],
  )
}
