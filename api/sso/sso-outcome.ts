import type { SsoConnection } from '../../db/sign-in/sso-connections.ts'
import type { SignInReason, Trail } from '../audit/trail.ts'
import { Redirect } from '../http/endpoint.ts'

/** What the portal's page says of a sign-in that was not successful, in the query parameter `sso`. */
type Outcome = 'unknown' | 'choose' | 'suspended' | 'unavailable' | 'invalid' | 'expired' | 'denied'

/** Nothing here tells whether there is such a user: the reason is in the audit log. */
const OUTCOMES: Partial<Record<SignInReason, Outcome>> = {
  suspended: 'suspended',
  sso_state: 'expired',
  sso_unavailable: 'unavailable',
  sso_invalid: 'invalid',
}

/** Why somebody was not signed in, and who, as far as it is known. */
export interface SsoRejection {
  readonly reason: SignInReason
  readonly address: string | undefined
  readonly isStepUp?: boolean
  readonly userId?: number | undefined
  /** As the provider says. */
  readonly email?: string | undefined
  /** For admins: what is wrong with the provider. */
  readonly problem?: string
  readonly next?: string | undefined
}

/** Leads the browser to the sign-in page of the portal, which says what happened. */
export const toSignInPage = (outcome: Outcome, more: Readonly<Record<string, string | undefined>> = {}) =>
  new Redirect(`/login?${queryOf({ sso: outcome, ...more })}`)

export const queryOf = (values: Readonly<Record<string, string | undefined>>): string =>
  new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ).toString()

/** Records a sign-in, or a step-up, that was not successful, and leads the browser to the page that says so. */
export function rejectSso(
  trail: Trail,
  { subscriptionId }: Pick<SsoConnection, 'subscriptionId'>,
  { reason, address, isStepUp = false, userId, email = '', problem, next }: SsoRejection,
): Redirect {
  const isFailure = reason === 'sso_state' || reason === 'sso_unavailable' || reason === 'sso_invalid'
  // once a minute: also whoever is not signed in causes these events
  trail.noteOnceAMinute({
    ...{ subscriptionId, action: isStepUp ? 'session.step_up' : 'session.login' },
    outcome: isFailure ? 'failure' : 'denied',
    actor: { kind: 'user', id: userId ?? null, name: email, address },
    detail: { method: 'sso', reason, ...(problem !== undefined && { problem }) },
  })
  const outcome = OUTCOMES[reason] ?? 'denied'
  return isStepUp ? new Redirect(`/confirmed?sso=${outcome}`) : toSignInPage(outcome, { next })
}
