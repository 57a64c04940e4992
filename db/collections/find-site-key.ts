import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import type { CollectionLevel } from './collections.ts'

/** `pk_`, `test_` in test mode, and 32 characters of base64url. */
const KEY = /^pk_(test_)?[\w-]{32}$/

/** A site key that a page presented; the caller decides whether it may open collections. */
export interface SiteKey {
  readonly id: number
  readonly subscriptionId: number
  readonly level: CollectionLevel
  /** Origins of its pages, as browsers send them. */
  readonly origins: readonly string[]
  /** Optional modules of the SDK that its pages may load. */
  readonly modules: readonly string[]
  readonly maxCollectionsPerDay: number
  /** Neither revoked nor expired. */
  readonly live: boolean
  readonly suspended: boolean
}

/** Finds the site key that a page presented; undefined if it was never created. */
export async function findSiteKey(db: Db, key: string): Promise<SiteKey | undefined> {
  if (!KEY.test(key)) return undefined // no query
  const [found] = await queryRows<SiteKey>(
    db,
    sql`select k.id, k.subscription_id as "subscriptionId", k.level, k.origins, k.modules,
               k.max_collections_per_day as "maxCollectionsPerDay",
               k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) as live,
               s.suspended_at is not null as suspended
        from site_keys k join subscriptions s on s.id = k.subscription_id where k.key = ${key}`,
  )
  return found
}
