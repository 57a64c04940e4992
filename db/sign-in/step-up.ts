import { MAY_USE_PASSWORD } from '../accounts/users.ts'
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
  /** Whether the provider of single sign-on knows the user. */
  readonly hasSso: boolean
  /** Whether the provider has checked a second factor at the sign-in. */
  readonly hasFactorOfSso: boolean
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
               u.password_hash is not null and ${MAY_USE_PASSWORD} as "hasPassword", f."hasPasskey", f."hasTotp",
               exists (
                 select from sso_identities i
                 join sso_connections c on c.subscription_id = i.subscription_id and c.issuer = i.issuer
                 where i.subscription_id = u.subscription_id and i.user_id = u.id
               ) as "hasSso", x.method is not distinct from 'sso+mfa' as "hasFactorOfSso",
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

/** What the portal has to know of a session. */
export interface SessionTraits {
  /** Whether the user needs a second factor and has none, and the session did not begin with one of the provider either. */
  readonly factorMissing: boolean
  /** Whether the session began by single sign-on. */
  readonly singleSignOn: boolean
}

export async function findSessionTraits(
  db: Db,
  { subscriptionId, userId, sessionId }: FactorOwner & { readonly sessionId: string },
): Promise<SessionTraits> {
  const [traits] = await queryRows<SessionTraits>(
    db,
    sql`select coalesce(x.method like 'sso%', false) as "singleSignOn",
               ${FACTOR_REQUIRED} and x.method is distinct from 'sso+mfa' and not exists (
                 select from factors f where f.subscription_id = u.subscription_id and f.user_id = u.id
               ) as "factorMissing"
        from users u join subscriptions s on s.id = u.subscription_id
        left join sessions x on x.subscription_id = u.subscription_id and x.id = ${sessionId}
        where u.subscription_id = ${subscriptionId} and u.id = ${userId}`,
  )
  return traits ?? { factorMissing: false, singleSignOn: false }
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
