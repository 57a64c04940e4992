import type { User } from '../../db/accounts/users.ts'
import { Problem } from '../http/problem.ts'

/** Differs from the 403 of API keys and login tokens, for compatibility with existing clients. */
export const SUSPENDED_STATUS = 400

/** The outcome of a sign-in whose password was checked. */
export type SignIn =
  | { readonly outcome: 'signed_in'; readonly user: User }
  | { readonly outcome: 'invalid_credentials' }
  | { readonly outcome: 'subscription_suspended' }
  | { readonly outcome: 'sso_required'; readonly signInUrl: string }
  | {
      readonly outcome: 'subscription_required'
      readonly subscriptions: readonly { readonly name: string }[]
    }

/** Path at which a sign-in by single sign-on begins. */
export const SSO_START = '/api/account/v1/sso/start'

/**
 * Decides the outcome of a sign-in by a password or a factor. Only a correct one reveals anything about a user or a subscription.
 *
 * @param proved users with the e-mail and password, one for each subscription.
 * @param signInUrl where users of the e-mail's domain sign in, if passwords are off for them: depends on no user.
 */
export function decideSignIn(proved: readonly User[], signInUrl?: string): SignIn {
  const matches = proved.filter(({ requiredSso }) => requiredSso === null)
  if (matches.length === 0) {
    const [{ requiredSso } = { requiredSso: null }] = proved
    const url = requiredSso === null ? signInUrl : `${SSO_START}?connection=${requiredSso}`
    return url === undefined
      ? { outcome: 'invalid_credentials' }
      : { outcome: 'sso_required', signInUrl: url }
  }
  const [user, ...others] = matches.filter(({ suspended }) => !suspended)
  if (!user) return { outcome: 'subscription_suspended' }
  if (others.length > 0)
    return {
      outcome: 'subscription_required',
      subscriptions: [user, ...others].map(({ subscriptionName: name }) => ({ name })),
    }
  return { outcome: 'signed_in', user }
}

/** Returns the user who is signed in. @throws Problem named like any other outcome. */
export function requireSignedIn(signIn: SignIn): User {
  switch (signIn.outcome) {
    case 'signed_in':
      return signIn.user
    case 'subscription_suspended':
      throw new Problem('subscription_suspended', { status: SUSPENDED_STATUS })
    case 'subscription_required':
      throw new Problem('subscription_required', { members: { subscriptions: signIn.subscriptions } })
    case 'sso_required':
      throw new Problem('sso_required', { members: { signInUrl: signIn.signInUrl } })
    case 'invalid_credentials':
      throw new Problem('invalid_credentials')
  }
}
