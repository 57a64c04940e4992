import { type Db, queryRows } from '../postgres/database.ts'

/** The kinds of fragment that can be deployed; the standard ones come with every new subscription. */
export const FRAGMENT_KINDS = {
  standard: ['permission', 'device_info', 'velocity'],
  all: ['permission', 'device_info', 'velocity', 'velocity_windows'],
} as const

export type FragmentKind = (typeof FRAGMENT_KINDS.all)[number]

/** A part of the insight as a subscription has it, under a code of its own choice. */
export interface DeployedFragment {
  readonly subscriptionId: number
  readonly code: string
  readonly kind: FragmentKind
}

/** From the next dataset on, insights have a fragment of this kind under this code, replacing what had the code. */
export async function deployFragment(
  db: Db,
  subscriptionId: number,
  code: string,
  kind: FragmentKind,
): Promise<void> {
  await db('fragments')
    .insert({ subscription_id: subscriptionId, code, kind })
    .onConflict(['subscription_id', 'code'])
    .merge({ kind, deployed_at: db.fn.now() })
}

/** From the next dataset on, insights have no fragment under this code. @returns whether they had one. */
export async function removeFragment(db: Db, subscriptionId: number, code: string): Promise<boolean> {
  return (await db('fragments').where({ subscription_id: subscriptionId, code }).delete()) > 0
}

/** The fragments of these subscriptions, in the order in which they appear in an insight. */
export async function listFragments(db: Db, subscriptionIds: readonly number[]): Promise<DeployedFragment[]> {
  return queryRows<DeployedFragment>(
    db,
    `select subscription_id as "subscriptionId", code, kind from fragments
     where subscription_id = any(?)
     order by subscription_id, array_position(array['permission','device_info','velocity','velocity_windows'], kind), code`,
    [subscriptionIds],
  )
}
