import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  findOperator,
  hasOperators,
  noteOperatorUse,
  OPERATOR_NAME,
  type OperatorCredentials,
} from '../../db/accounts/operators.ts'
import type { Db } from '../../db/postgres/database.ts'
import { openConcurrencyLimit } from '../account/concurrency-limit.ts'
import { openLoginThrottle } from '../account/login-throttle.ts'
import { openPasswords } from '../account/password-hashing.ts'
import type { SignInReason } from '../audit/trail.ts'
import { networkOf } from '../http/addresses.ts'

/** How long a checked password is accepted from the same network without being hashed again. A changed one, and a disabled account, is rejected at once. */
const CHECKED_MS = 60_000
const MAX_CHECKED = 1_000

/** How long it is remembered that there is no account. */
const NONE_MS = 5_000

/** The result of a sign-in: the operator whose name was sent, if there is one, and why it was rejected. */
export interface OperatorSignIn {
  readonly operator?: { readonly id: number; readonly name: string }
  readonly rejected?: SignInReason
}

/** Operators' own accounts. */
export interface OperatorAccounts {
  /** Whether there is an account that can sign in. */
  exist(): Promise<boolean>
  /**
   * Checks name and password: within the limits of logins, one hash at a time.
   *
   * @throws Problem `rate_limited` or `overloaded`.
   */
  check(name: string, password: string, address: string | undefined): Promise<OperatorSignIn>
}

/** Opens nothing before the first call. */
export function openOperatorAccounts(db: Db): OperatorAccounts {
  const checked = new LRUCache<string, true>({ max: MAX_CHECKED, ttl: CHECKED_MS })
  const found = new LRUCache<'any', boolean>({ max: 1 })
  let opened: ReturnType<typeof openLogins> | undefined

  return {
    async exist() {
      const known = found.get('any')
      if (known !== undefined) return known
      const any = await hasOperators(db)
      found.set('any', any, { ttl: any ? 0 : NONE_MS })
      return any
    },
    async check(name, password, address) {
      const operator = OPERATOR_NAME.test(name) ? await findOperator(db, name) : undefined
      // of this network alone: elsewhere it would tell a throttled guess that is right from a wrong one
      const key = hash(JSON.stringify([name, password, operator?.passwordHash, networkOf(address)]))
      const known = operator !== undefined && !operator.disabled && checked.has(key)
      const rejected = known ? undefined : await checkPassword(operator, { name, password, address })
      if (!operator) return { rejected: rejected ?? 'unknown_user' }
      const signIn = { operator: { id: operator.id, name: operator.name } }
      if (rejected) return { ...signIn, rejected }
      checked.set(key, true)
      if (operator.unused) await noteOperatorUse(db, operator.id)
      return signIn
    },
  }

  /** @returns why the sign-in is rejected. */
  function checkPassword(
    operator: OperatorCredentials | undefined,
    { name, password, address }: { name: string; password: string; address: string | undefined },
  ): Promise<SignInReason | undefined> {
    opened ??= openLogins(db)
    const { limitConcurrency, throttle, passwords } = opened
    throttle.rejectBlocked(address) // before it occupies a slot
    return limitConcurrency(async () => {
      const attempt = await throttle.attempt(`operator ${name}`, address)
      // as much work for any name
      const matches = await passwords.check(operator?.passwordHash, password)
      if (!operator) return 'unknown_user'
      if (!matches) return 'wrong_password'
      if (operator.disabled) return 'suspended'
      await attempt.succeed()
      return undefined
    })
  }
}

const openLogins = (db: Db) => ({
  passwords: openPasswords(),
  throttle: openLoginThrottle(db),
  limitConcurrency: openConcurrencyLimit(),
})

const hash = (text: string) => createHash('sha256').update(text).digest('base64')
