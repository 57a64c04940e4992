import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/postgres/database.ts'
import { networkOf } from '../http/addresses.ts'
import { atMost } from '../http/at-most.ts'
import { Problem } from '../http/problem.ts'
import { RateLimiterPostgres, RateLimiterRes } from './rate-limiters.ts'

const WINDOW_SECONDS = 15 * 60

/**
 * Failed logins in the window after which an account or an address is blocked. An account has one counter per address
 * that logged in successfully before, and one for all other addresses: an attacker who guesses passwords blocks unknown
 * addresses, never the user's own.
 */
const MAX_FAILURES = { account: 10, address: 100 }

/** How long an address with a successful login is remembered. */
const KNOWN_SECONDS = 30 * 24 * 3_600

/** Maximum number of blocked addresses cached in a process. */
const MAX_BLOCKED = 10_000

/** A login attempt. IPv6 addresses are counted by /64, the network that one client is assigned. */
export interface LoginAttempt {
  /**
   * Records a correct password. Resets the failure count if it was the password `ofAll` users of the account. Otherwise, only this
   * attempt is not counted: somebody with another user of the same e-mail must not get further guesses by signing in.
   */
  succeed(options?: { readonly ofAll: boolean }): Promise<void>
}

/** Rate limit against password guessing, per account and per address, across all processes. */
export interface LoginThrottle {
  /** @throws Problem `rate_limited` when the address is in this process's cache of blocked ones; without a query. */
  rejectBlocked(address: string | undefined): void
  /** Counts an attempt. @throws Problem `rate_limited` when the account or the address exceeded its limit. */
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
  const addresses = limiter('address', MAX_FAILURES.address, { sweeps: true }) // sweeps the table for all four limiters
  const accounts = limiter('account', MAX_FAILURES.account)
  const accountsFromKnownAddresses = limiter('place', MAX_FAILURES.account)
  const knownAddresses = limiter('known', 1, { duration: KNOWN_SECONDS })
  const blocked = new LRUCache<string, true>(atMost(MAX_BLOCKED))

  return {
    rejectBlocked(address) {
      const ms = blocked.getRemainingTTL(networkOf(address))
      if (ms > 0) throw rateLimited(ms)
    },
    async attempt(account, address) {
      const network = networkOf(address)
      const accountAndNetwork = keyOf(`${account} ${network}`)
      try {
        await addresses.consume(network).catch((rejection) => {
          if (rejection instanceof RateLimiterRes)
            blocked.set(network, true, { ttl: Math.max(1, rejection.msBeforeNext) })
          throw rejection
        })
        const [counter, key] = (await knownAddresses.get(accountAndNetwork))
          ? [accountsFromKnownAddresses, accountAndNetwork]
          : [accounts, keyOf(account)]
        await counter.consume(key)
        return {
          async succeed({ ofAll } = { ofAll: true }) {
            await addresses.reward(network)
            if (!ofAll) return void (await counter.reward(key))
            await counter.delete(key)
            await knownAddresses.set(accountAndNetwork, 1, KNOWN_SECONDS)
          },
        }
      } catch (rejection) {
        if (!(rejection instanceof RateLimiterRes)) throw rejection
        throw rateLimited(rejection.msBeforeNext)
      }
    },
  }
}

const rateLimited = (ms: number) => new Problem('rate_limited', { retryAfterSeconds: Math.ceil(ms / 1_000) })

/** Key of fixed size that reveals no account in the table. */
const keyOf = (account: string) => createHash('sha256').update(account).digest('base64url')
