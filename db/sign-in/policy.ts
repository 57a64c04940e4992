import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'

/** Who needs a second factor. */
export const FACTORS_REQUIRED = ['nobody', 'admins', 'everybody'] as const

/** Rules that a subscription sets for its own users. */
export interface Policy {
  readonly factorsRequired: (typeof FACTORS_REQUIRED)[number]
  /** Whether the author of a scorecard version may not promote it. */
  readonly fourEyes: boolean
}

const POLICY = raw('factors_required as "factorsRequired", four_eyes as "fourEyes"')

/** @throws if there is no subscription of this id. */
export async function findPolicy(db: Db, subscriptionId: number): Promise<Policy> {
  const [policy] = await queryRows<Policy>(
    db,
    sql`select ${POLICY} from subscriptions where id = ${subscriptionId}`,
  )
  if (!policy) throw new Error(`There is no subscription ${subscriptionId}`)
  return policy
}

/** Changes the policy and records what changed in the audit log; absent members stay as they are. */
export async function changePolicy(
  db: Db,
  {
    subscriptionId,
    actor,
    change,
  }: {
    subscriptionId: number
    actor: Actor
    change: { readonly [Member in keyof Policy]?: Policy[Member] | undefined }
  },
): Promise<Policy> {
  return db.transaction(async (trx) => {
    await queryRows(trx, sql`select from subscriptions where id = ${subscriptionId} for no key update`)
    const before = await findPolicy(trx, subscriptionId)
    const { factorsRequired = before.factorsRequired, fourEyes = before.fourEyes } = change
    if (factorsRequired === before.factorsRequired && fourEyes === before.fourEyes) return before
    await queryRows(
      trx,
      sql`update subscriptions set factors_required = ${factorsRequired}, four_eyes = ${fourEyes}
          where id = ${subscriptionId}`,
    )
    const after = { factorsRequired, fourEyes }
    await recordAudit(trx, { subscriptionId, actor, action: 'policy.change', detail: { ...after, before } })
    return after
  })
}
