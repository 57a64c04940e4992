import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import type { FactorOwner } from './factor-owner.ts'

/** How recently the user of a session proved who they are, and how they can do so again. */
export interface StepUpState {
  /** Seconds since the sign-in or the last step-up, whichever is later. */
  readonly ageSeconds: number
  readonly hasPassword: boolean
  readonly hasPasskey: boolean
  readonly hasTotp: boolean
  /** Whether the policy of the subscription requires a second factor of this user. */
  readonly factorRequired: boolean
}

/** Whether the policy in `s` requires a factor of the user in `u`. */
const FACTOR_REQUIRED = sql`(s.factors_required = 'everybody' or (s.factors_required = 'admins' and u.role = 'admin'))`

/** Returns the state of a session; undefined if there is no such session. */
export async function findStepUpState(
  db: Db,
  { subscriptionId, sessionId }: { subscriptionId: number; sessionId: string },
): Promise<StepUpState | undefined> {
  const [state] = await queryRows<StepUpState>(
    db,
    sql`select extract(epoch from now() - coalesce(x.authenticated_at, x.created_at))::float8 as "ageSeconds",
               u.password_hash is not null as "hasPassword", f."hasPasskey", f."hasTotp",
               ${FACTOR_REQUIRED} as "factorRequired"
        from sessions x
        join users u on u.subscription_id = x.subscription_id and u.id = x.user_id
        join subscriptions s on s.id = x.subscription_id
        cross join lateral (
          select coalesce(bool_or(kind = 'passkey'), false) as "hasPasskey",
                 coalesce(bool_or(kind = 'totp'), false) as "hasTotp"
          from factors where subscription_id = x.subscription_id and user_id = x.user_id
        ) f
        where x.subscription_id = ${subscriptionId} and x.id = ${sessionId}`,
  )
  return state
}

/** Whether a user needs a second factor and has none. */
export async function isFactorMissing(db: Db, { subscriptionId, userId }: FactorOwner): Promise<boolean> {
  const [found] = await queryRows(
    db,
    sql`select from users u join subscriptions s on s.id = u.subscription_id
        where u.subscription_id = ${subscriptionId} and u.id = ${userId} and ${FACTOR_REQUIRED}
          and not exists (select from factors f where f.subscription_id = u.subscription_id and f.user_id = u.id)`,
  )
  return found !== undefined
}

/** Records that the user of a session has just proved who they are. */
export async function recordStepUp(
  db: Db,
  { subscriptionId, sessionId }: { subscriptionId: number; sessionId: string },
): Promise<void> {
  await queryRows(
    db,
    sql`update sessions set authenticated_at = now() where subscription_id = ${subscriptionId} and id = ${sessionId}`,
  )
}
