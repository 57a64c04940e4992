import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { atMost } from '../http/at-most.ts'

/** Time to live of cached credentials: a revocation takes effect everywhere within this time. */
const CACHE_MS = 3_000

/** Cached credentials that exist. */
const MAX_FOUND = 10_000

/** Cached credentials that do not exist: apart, so that strangers cannot displace callers. */
const MAX_UNKNOWN = 1_000

/** Longest credential that is looked up. Keys have 47 characters, and login tokens about 330. */
const MAX_CHARACTERS = 1_000

/** Finds a presented credential; undefined if there is none. Returns a promise only if the result is not cached. */
export type CachedLookup<Found> = (presented: string) => Found | undefined | Promise<Found | undefined>

/**
 * Caches the results of `find` for 3 s. Concurrent lookups of a credential share one call of `find`.
 *
 * Memory is bounded whatever strangers present: credentials are cached by their hash, unknown ones in a small cache of their own,
 * and longer ones than this service issues are never looked up.
 */
export function cacheLookups<Found extends object>(
  find: (presented: string) => Promise<Found | undefined>,
): CachedLookup<Found> {
  const found = new LRUCache<string, Found>({ ...atMost(MAX_FOUND), ttl: CACHE_MS })
  const unknown = new LRUCache<string, true>({ max: MAX_UNKNOWN, ttl: CACHE_MS })
  const pending = new Map<string, Promise<Found | undefined>>()

  function start(hash: string, presented: string): Promise<Found | undefined> {
    const lookup = find(presented)
      .then((credential) => {
        if (credential) found.set(hash, credential)
        else unknown.set(hash, true)
        return credential
      })
      .finally(() => pending.delete(hash))
    pending.set(hash, lookup)
    return lookup
  }

  return (presented) => {
    if (presented.length > MAX_CHARACTERS) return undefined
    const hash = createHash('sha256').update(presented).digest('base64')
    const known = found.get(hash)
    if (known || unknown.has(hash)) return known
    return pending.get(hash) ?? start(hash, presented)
  }
}
