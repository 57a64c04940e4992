import { findUserByEmail, normalizeEmail, type User } from '../../db/accounts/users.ts'
import type { Db } from '../../db/postgres/database.ts'
import { Problem } from '../http/problem.ts'
import type { LoginRequest } from './account-schemas.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { Passwords } from './password-hashing.ts'

/** Differs from the 403 of API keys and login tokens, for compatibility with existing clients. */
export const SUSPENDED_STATUS = 400

/** Dependencies of endpoints that check passwords. */
export interface LoginDependencies {
  readonly db: Db
  readonly passwords: Passwords
  readonly throttle: LoginThrottle
  readonly limitConcurrency: ConcurrencyLimit
}

/**
 * Returns the user with this e-mail and password.
 *
 * @throws Problem `invalid_credentials`, `subscription_suspended` (400), `rate_limited` or `overloaded`.
 */
export type CheckLogin = (login: LoginRequest, address: string | undefined) => Promise<User>

export function openCheckLogin({ db, passwords, throttle, limitConcurrency }: LoginDependencies): CheckLogin {
  return async ({ userEmail, password }, address) => {
    const account = normalizeEmail(userEmail)
    throttle.rejectBlocked(address) // before it occupies a slot
    return limitConcurrency(async () => {
      const attempt = await throttle.attempt(account, address)
      const user = await findUserByEmail(db, account)
      const known = await passwords.check(user?.passwordHash ?? undefined, password)
      if (!user || !known || user.disabled) throw new Problem('invalid_credentials')
      if (user.suspended) throw new Problem('subscription_suspended', { status: SUSPENDED_STATUS })
      await attempt.succeed()
      return user
    })
  }
}
