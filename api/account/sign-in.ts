import type { User } from '../../db/accounts/users.ts'
import { Problem } from '../http/problem.ts'

/** Differs from the 403 of API keys and login tokens, for compatibility with existing clients. */
export const SUSPENDED_STATUS = 400

/** The outcome of a sign-in whose password was checked. */
export type SignIn =
  | { readonly outcome: 'signed_in'; readonly user: User }
  | { readonly outcome: 'invalid_credentials' }
  | { readonly outcome: 'subscription_suspended' }
  | {
      readonly outcome: 'subscription_required'
      readonly subscriptions: readonly { readonly name: string }[]
    }

/**
 * Decides the outcome of a sign-in. Only a correct password reveals anything about a user or a subscription.
 *
 * @param matches users with the e-mail and password, one for each subscription.
 */
export function decideSignIn(matches: readonly User[]): SignIn {
  if (matches.length === 0) return { outcome: 'invalid_credentials' }
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
    case 'invalid_credentials':
      throw new Problem('invalid_credentials')
  }
}
