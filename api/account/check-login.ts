import { replacePasswordHash } from '../../db/accounts/passwords.ts'
import { listUsersByEmail, normalizeEmail, type User } from '../../db/accounts/users.ts'
import type { Db } from '../../db/postgres/database.ts'
import { domainOf, listRequiredSso } from '../../db/sign-in/sso-connections.ts'
import type { Trail } from '../audit/trail.ts'
import type { LoginRequest } from './account-schemas.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import type { LoginThrottle } from './login-throttle.ts'
import { isWeakHash, type Passwords } from './password-hashing.ts'
import { decideSignIn, requireSignedIn, SSO_START } from './sign-in.ts'
import { noteIfThrottled, noteSignIn, noteThrottled } from './sign-in-events.ts'

/**
 * Users of an e-mail whose passwords a login checks: those of the oldest users. The users of further subscriptions sign in by
 * naming their subscription, so that nobody can delay or prevent a login by inviting its e-mail elsewhere.
 */
const MAX_USERS = 2

/** Dependencies of endpoints that check passwords. */
export interface LoginDependencies {
  readonly db: Db
  readonly trail: Trail
  readonly passwords: Passwords
  readonly throttle: LoginThrottle
  readonly limitConcurrency: ConcurrencyLimit
}

/**
 * Returns the user with this e-mail and password, and subscription if one is named.
 *
 * @throws Problem `invalid_credentials`, `subscription_suspended` (400), `subscription_required`,
 *   `sso_required`, `second_factor_required`, `rate_limited` or `overloaded`.
 */
export type CheckLogin = (
  login: LoginRequest,
  from: { readonly address: string | undefined; readonly host: string | undefined },
) => Promise<User>

/** Rejects a user who has a second factor. @throws Problem `second_factor_required` */
type RequireSecondFactor = (user: User, host: string | undefined) => Promise<void>

export function openCheckLogin(
  { db, trail, passwords, throttle, limitConcurrency }: LoginDependencies,
  requireSecondFactor: RequireSecondFactor,
): CheckLogin {
  return async ({ userEmail, password, subscription }, { address, host }) => {
    const email = normalizeEmail(userEmail)
    try {
      throttle.rejectBlocked(address) // before it occupies a slot
    } catch (error) {
      noteThrottled(trail, [], address) // without a query
      throw error
    }
    return limitConcurrency(async () => {
      // a named subscription has a count of its own, which sign-ins to others do not affect
      const account = subscription === undefined ? email : JSON.stringify([email, subscription])
      const limit = subscription === undefined ? MAX_USERS : 1
      const listUsers = () => listUsersByEmail(db, { email, subscription, limit })
      const attempt = await noteIfThrottled(trail, throttle.attempt(account, address), { address, listUsers })
      const users = await listUsers()
      // as many checks for any e-mail: the response time must not reveal in how many subscriptions it has a user
      const matches: User[] = []
      for (let n = 0; n < limit; n++) {
        const user = users[n]
        const hash = user?.requiredSso === null ? user.passwordHash : undefined // passwords that are off are not checked
        if ((await passwords.check(hash, password)) && user) matches.push(user)
      }
      const signIn = decideSignIn(matches, await findSignInUrl(db, email, subscription))
      if (signIn.outcome === 'signed_in' || signIn.outcome === 'subscription_required')
        await attempt.succeed({ ofAll: matches.length === users.length })
      if (signIn.outcome === 'invalid_credentials')
        noteSignIn(trail, users, { address, outcome: 'failure', reason: 'wrong_password' })
      if (signIn.outcome === 'sso_required')
        noteSignIn(trail, users, { address, outcome: 'denied', reason: 'sso_required' })
      if (signIn.outcome === 'subscription_suspended')
        noteSignIn(trail, matches, { address, outcome: 'denied', reason: 'suspended' })
      const user = requireSignedIn(signIn)
      if (user.passwordHash !== null && isWeakHash(user.passwordHash))
        await replacePasswordHash(db, user, await passwords.hash(password))
      await requireSecondFactor(user, host)
      return user
    })
  }
}

/** Where users of the e-mail's domain sign in, if passwords are off for them; the same for an e-mail of nobody. */
async function findSignInUrl(
  db: Db,
  email: string,
  subscription: string | undefined,
): Promise<string | undefined> {
  const domain = domainOf(email)
  const [connection, other] = await listRequiredSso(db, { domain, subscription })
  if (!connection) return undefined
  return `${SSO_START}?${new URLSearchParams(other ? { domain } : { connection: connection.id })}`
}
