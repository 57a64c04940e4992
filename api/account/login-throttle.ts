import { createHash } from 'node:crypto'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Db } from '../../db/database.ts'
import { Problem } from '../http/problem.ts'

const WINDOW_SECONDS = 15 * 60

/** Failed log-ins in the window, after which an account or an address has to wait. */
const MAX_FAILURES = { account: 10, address: 100 }

/** Slows down guessing, for each account and each address, across all processes. */
export interface LoginThrottle {
  /** Counts an attempt. @throws Problem `rate_limited` when the account or the address had too many. */
  attempt(account: string, address: string | undefined): Promise<void>
  /** Forgets the attempts of an account, and the last one of the address, after a success. */
  succeed(account: string, address: string | undefined): Promise<void>
}

export function openLoginThrottle(db: Db): LoginThrottle {
  const limiter = (keyPrefix: string, points: number) =>
    new RateLimiterPostgres({
      storeClient: db,
      storeType: 'knex',
      tableName: 'login_attempts',
      tableCreated: true,
      keyPrefix,
      points,
      duration: WINDOW_SECONDS,
    })
  const accounts = limiter('account', MAX_FAILURES.account)
  const addresses = limiter('address', MAX_FAILURES.address)

  return {
    async attempt(account, address = 'unknown') {
      try {
        await addresses.consume(address)
        await accounts.consume(keyOf(account))
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        throw new Problem('rate_limited', { retryAfterSeconds: Math.ceil(refusal.msBeforeNext / 1_000) })
      }
    },
    async succeed(account, address = 'unknown') {
      await accounts.delete(keyOf(account))
      await addresses.reward(address)
    },
  }
}

/** Of one size, and naming nobody in the table. */
const keyOf = (account: string) => createHash('sha256').update(account).digest('base64url')
