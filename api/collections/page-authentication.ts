import type { ParsedUrlQuery } from 'node:querystring'
import { LRUCache } from 'lru-cache'
import { findCollections, type KnownCollection } from '../../db/collections/collections.ts'
import { findSiteKey, type SiteKey } from '../../db/collections/find-site-key.ts'
import type { SiteKeyCounter } from '../../db/collections/site-key-use.ts'
import type { Db } from '../../db/postgres/database.ts'
import { openBatches } from '../batches.ts'
import { networkOf } from '../http/addresses.ts'
import { atMost } from '../http/at-most.ts'
import type { CollectionCaller, PageCredential, SiteKeyCaller } from '../http/endpoint.ts'
import { Problem } from '../http/problem.ts'
import { openRateLimit } from './rate-limit.ts'

/** Time to live of cached site keys: a revocation takes effect everywhere within this time. */
const CACHE_MS = 3_000

/** Cached site keys, and cached collections, of which nothing cached ever changes. */
const MAX_CACHED = { siteKeys: 10_000, collections: 50_000 }

/** Maximum number of collections looked up by one statement. */
const MAX_BATCH = 64

/**
 * Requests per minute and web process. Thousands of phones may share an address behind a carrier's NAT; an IPv6 network counts as
 * one. 2,000 browsers that each send a segment in 5 s make 24,000 requests.
 */
const PAGE_LIMITS = {
  opens: { address: 600, siteKey: 6_000 },
  requests: { address: 30_000, collection: 600 },
} as const

/**
 * Identifies a page by its site key or collection, and limits its requests. Returns a promise only when the database has to be
 * queried.
 *
 * @throws Problem `site_key_invalid`, `origin_not_allowed`, `collection_not_found`, `subscription_suspended` or `rate_limited`.
 */
export type AuthenticatePage = (
  query: ParsedUrlQuery,
  origin: string | undefined,
  address: string | undefined,
  credential: PageCredential,
) => PageCaller | Promise<PageCaller>

type PageCaller = SiteKeyCaller | CollectionCaller

/** Opens the identification of pages. Rejections of a known site key are counted, for its admin to see. */
export function openPageAuthentication(db: Db, use: Pick<SiteKeyCounter, 'add'>): AuthenticatePage {
  const siteKeys = new LRUCache<string, { readonly found: SiteKey | undefined }>({
    max: MAX_CACHED.siteKeys,
    ttl: CACHE_MS,
    fetchMethod: async (key) => ({ found: await findSiteKey(db, key) }),
  })
  const collections = new LRUCache<string, KnownCollection>(atMost(MAX_CACHED.collections))
  const lookups = openBatches({
    maxItems: MAX_BATCH,
    work: (wanted: readonly { readonly subscriptionId: 0; readonly publicId: string }[]) =>
      findCollections(
        db,
        wanted.map(({ publicId }) => publicId),
      ),
  })
  const limits = {
    opensOfAddress: openRateLimit(PAGE_LIMITS.opens.address),
    opensOfSiteKey: openRateLimit(PAGE_LIMITS.opens.siteKey),
    requestsOfAddress: openRateLimit(PAGE_LIMITS.requests.address),
    requestsOfCollection: openRateLimit(PAGE_LIMITS.requests.collection),
  }

  function bySiteKey(siteKey: SiteKey | undefined, origin: string | undefined): SiteKeyCaller {
    if (!siteKey?.live) throw new Problem('site_key_invalid')
    const { subscriptionId, id: siteKeyId } = siteKey
    try {
      if (siteKey.suspended) throw new Problem('subscription_suspended')
      if (origin === undefined || !siteKey.origins.includes(origin)) throw new Problem('origin_not_allowed')
      limits.opensOfSiteKey.take(`${subscriptionId} ${siteKeyId}`)
    } catch (error) {
      use.add({ subscriptionId, siteKeyId, rejected: 1 })
      throw error
    }
    return { kind: 'siteKey', subscriptionId, siteKey, origin }
  }

  function byCollection(collection: KnownCollection | undefined): CollectionCaller {
    if (!collection) throw new Problem('collection_not_found')
    limits.requestsOfCollection.take(collection.publicId)
    return { kind: 'collection', subscriptionId: collection.subscriptionId, collection }
  }

  async function lookUp(publicId: string): Promise<CollectionCaller> {
    const collection = await lookups.add({ subscriptionId: 0, publicId }) // its subscription is not known yet
    if (collection) collections.set(publicId, collection)
    return byCollection(collection)
  }

  return (query, origin, address, { kind }) => {
    const network = networkOf(address)
    if (kind === 'siteKey') {
      limits.opensOfAddress.take(network)
      const key = textOf(query.k)
      const cached = siteKeys.get(key)
      return cached
        ? bySiteKey(cached.found, origin)
        : siteKeys.forceFetch(key).then(({ found }) => bySiteKey(found, origin))
    }
    limits.requestsOfAddress.take(network)
    const publicId = textOf(query.c)
    const known = collections.get(publicId)
    return known ? byCollection(known) : lookUp(publicId)
  }
}

/** Any text that no credential is, for a parameter that is absent or repeated. */
const textOf = (value: string | string[] | undefined): string => (typeof value === 'string' ? value : '')
