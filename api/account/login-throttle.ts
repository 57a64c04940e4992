import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible'
import type { Db } from '../../db/postgres/database.ts'
import { networkOf } from '../http/addresses.ts'
import { Problem } from '../http/problem.ts'

const WINDOW_SECONDS = 15 * 60

/**
 * Failed log-ins in the window, after which an account or an address has to wait. An account has one count for each
 * address from which it logged in before, and one for all others together: who guesses at an account keeps strangers
 * away from it, never its user from where the user is used to be.
 */
const MAX_FAILURES = { account: 10, address: 100 }

/** For how long an address is remembered from which a user logged in. */
const KNOWN_SECONDS = 30 * 24 * 3_600

/** Blocked addresses that a process keeps in mind. */
const MAX_BLOCKED = 10_000

/** An attempt to log in; an address of IPv6 counts with its whole /64, which is what one client is given. */
export interface LoginAttempt {
  /** The user has the password: forgets the failures before it. */
  succeed(): Promise<void>
}

/** Slows down guessing, for each account and each address, across all processes. */
export interface LoginThrottle {
  /** @throws Problem `rate_limited` when this process has seen that the address had too many; asks nobody. */
  rejectBlocked(address: string | undefined): void
  /** Counts an attempt. @throws Problem `rate_limited` when the account or the address had too many. */
  attempt(account: string, address: string | undefined): Promise<LoginAttempt>
}

export function openLoginThrottle(db: Db): LoginThrottle {
  const limiter = (keyPrefix: string, points: number, { duration = WINDOW_SECONDS, sweeps = false } = {}) =>
    new RateLimiterPostgres({
      storeClient: db,
      storeType: 'knex',
      tableName: 'login_attempts',
      tableCreated: true,
      keyPrefix,
      points,
      duration,
      clearExpiredByTimeout: sweeps,
    })
  const addresses = limiter('address', MAX_FAILURES.address, { sweeps: true }) // the whole table, for all four
  const accounts = limiter('account', MAX_FAILURES.account)
  const places = limiter('place', MAX_FAILURES.account)
  const known = limiter('known', 1, { duration: KNOWN_SECONDS })
  const blocked = new LRUCache<string, true>({ max: MAX_BLOCKED })

  return {
    rejectBlocked(address) {
      const ms = blocked.getRemainingTTL(networkOf(address))
      if (ms > 0) throw rateLimited(ms)
    },
    async attempt(account, address) {
      const network = networkOf(address)
      const place = keyOf(`${account} ${network}`)
      try {
        await addresses.consume(network).catch((refusal) => {
          if (refusal instanceof RateLimiterRes)
            blocked.set(network, true, { ttl: Math.max(1, refusal.msBeforeNext) })
          throw refusal
        })
        const [counts, counted] = (await known.get(place)) ? [places, place] : [accounts, keyOf(account)]
        await counts.consume(counted)
        return {
          async succeed() {
            await counts.delete(counted)
            await addresses.reward(network)
            await known.set(place, 1, KNOWN_SECONDS)
          },
        }
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal
        throw rateLimited(refusal.msBeforeNext)
      }
    },
  }
}

const rateLimited = (ms: number) => new Problem('rate_limited', { retryAfterSeconds: Math.ceil(ms / 1_000) })

/** Of one size, and naming nobody in the table. */
const keyOf = (account: string) => createHash('sha256').update(account).digest('base64url')
