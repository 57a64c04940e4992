import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Kinds of fragment that can be deployed; every new subscription starts with the standard ones. */
export const FRAGMENT_KINDS = {
  standard: ['permission', 'device_info', 'velocity'],
  all: ['permission', 'device_info', 'velocity', 'velocity_windows'],
} as const

export type FragmentKind = (typeof FRAGMENT_KINDS.all)[number]

/** A fragment of a subscription's insights, under a code of its choice. */
export interface DeployedFragment {
  readonly subscriptionId: number
  readonly code: string
  readonly kind: FragmentKind
}

/** Deploys a fragment under a code, from the next dataset on; it replaces the fragment that had the code. */
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

/** Removes the fragment of a code, from the next dataset on. @returns whether there was one. */
export async function removeFragment(db: Db, subscriptionId: number, code: string): Promise<boolean> {
  return (await db('fragments').where({ subscription_id: subscriptionId, code }).delete()) > 0
}

/** Lists the fragments of these subscriptions, in their order within an insight. */
export async function listFragments(db: Db, subscriptionIds: readonly number[]): Promise<DeployedFragment[]> {
  return queryRows<DeployedFragment>(
    db,
    sql`select subscription_id as "subscriptionId", code, kind from fragments
     where subscription_id = any(${subscriptionIds})
     order by subscription_id, array_position(array['permission','device_info','velocity','velocity_windows'], kind), code`,
  )
}
