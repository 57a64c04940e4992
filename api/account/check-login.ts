import { findUserByEmail, normalizeEmail, type User } from '../../db/accounts/users.ts'
import type { Db } from '../../db/postgres/database.ts'
import { Problem } from '../http/problem.ts'
import type { FewAtOnce } from './few-at-once.ts'
import type { LoginRequest } from './login-schema.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { Passwords } from './passwords.ts'

/** Other than for API keys and login tokens, as clients of such services know it. */
export const SUSPENDED_STATUS = 400

/** What a check works with. */
export interface LoginTools {
  readonly db: Db
  readonly passwords: Passwords
  readonly throttle: LoginThrottle
  readonly fewAtOnce: FewAtOnce
}

/**
 * The user of an e-mail and password.
 *
 * @throws Problem `invalid_credentials`, `subscription_suspended` (400), `rate_limited` or `overloaded`.
 */
export type CheckLogin = (login: LoginRequest, address: string | undefined) => Promise<User>

export function openCheckLogin({ db, passwords, throttle, fewAtOnce }: LoginTools): CheckLogin {
  return async ({ userEmail, password }, address) => {
    const account = normalizeEmail(userEmail)
    throttle.refuseBlocked(address) // before it takes a turn from others
    return fewAtOnce(async () => {
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
