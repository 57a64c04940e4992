import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, type Sql, sql } from '../postgres/sql.ts'
import type { CollectionLevel } from './collections.ts'

/** Collections of a day in UTC, by outcome. */
interface SiteKeyDay {
  /** For example `2026-11-20`. */
  readonly day: string
  readonly opened: number
  readonly completed: number
  readonly abandoned: number
  readonly rejected: number
  readonly bytes: number
}

/** A site key as an admin sees it, whole, since it is public; timestamps are UTC with six fractional digits. */
export interface SiteKeyItem {
  readonly id: number
  readonly key: string
  readonly label: string
  readonly level: CollectionLevel
  readonly origins: readonly string[]
  readonly modules: readonly string[]
  readonly maxCollectionsPerDay: number
  readonly state: 'live' | 'expired' | 'revoked'
  /** Name of the user or operator at the time; null if it was not recorded. */
  readonly createdBy: string | null
  readonly createdAt: string
  /** Set by rotation. */
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  /** The last day, in UTC, on which it opened a collection. */
  readonly lastUsedOn: string | null
  /** Days of the last 30 on which it was used or rejected, oldest first. */
  readonly days: readonly SiteKeyDay[]
}

/** Neither revoked nor expired. */
export const IS_LIVE = raw('(revoked_at is null and (expires_at is null or expires_at > now()))')

/** The key after which the next page begins. */
interface SiteKeyCursor {
  readonly live: boolean
  readonly id: number
}

/** Lists up to `limit` site keys of a subscription with their use: live keys first, then newest first. */
export function listSiteKeys(
  db: Db,
  subscriptionId: number,
  { after, limit }: { after?: SiteKeyCursor | undefined; limit: number },
): Promise<SiteKeyItem[]> {
  const rest = after
    ? sql`(live, created_at, id) < (${after.live}::boolean, (
            select created_at from site_keys where subscription_id = ${subscriptionId} and id = ${after.id}
          ), ${after.id}::integer)`
    : sql`true`
  return queryRows(
    db,
    presented(sql`
      select * from (select *, ${IS_LIVE} as live from site_keys where subscription_id = ${subscriptionId}) k
      where ${rest} order by live desc, created_at desc, id desc limit ${limit}`),
  )
}

/** Finds a site key with its use, as `listSiteKeys` lists it. */
export async function findSiteKeyItem(
  db: Db,
  subscriptionId: number,
  id: number,
): Promise<SiteKeyItem | undefined> {
  const [item] = await queryRows<SiteKeyItem>(
    db,
    presented(sql`
      select *, ${IS_LIVE} as live from site_keys where subscription_id = ${subscriptionId} and id = ${id}`),
  )
  return item
}

/** Finds the subscription of a site key, for operators, who name it by the key itself or by its id alone. */
export async function findOwnerOfSiteKey(
  db: Db,
  keyOrId: string,
): Promise<{ subscriptionId: number; id: number } | undefined> {
  const id = /^\d{1,9}$/.test(keyOrId) ? Number(keyOrId) : null
  const [owner] = await queryRows<{ subscriptionId: number; id: number }>(
    db,
    sql`select subscription_id as "subscriptionId", id from site_keys where key = ${keyOrId} or id = ${id}`,
  )
  return owner
}

const presented = (keys: Sql): Sql => sql`
  select id, key, label, level, origins, modules, max_collections_per_day as "maxCollectionsPerDay",
         case when live then 'live' when revoked_at is null then 'expired' else 'revoked' end as state,
         created_by as "createdBy", ${utcText('created_at')} as "createdAt", ${utcText('expires_at')} as "expiresAt",
         ${utcText('revoked_at')} as "revokedAt", "lastUsedOn", days
  from (${keys}) k,
  lateral (
    select (
      select d.day::text from site_key_days d
      where d.subscription_id = k.subscription_id and d.site_key_id = k.id and d.opened > 0
      order by d.day desc limit 1
    ) as "lastUsedOn"
  ) used,
  lateral (
    select coalesce(jsonb_agg(jsonb_build_object(
      'day', d.day, 'opened', d.opened, 'completed', d.completed, 'abandoned', d.abandoned,
      'rejected', d.rejected, 'bytes', d.bytes) order by d.day), '[]') as days
    from site_key_days d
    where d.subscription_id = k.subscription_id and d.site_key_id = k.id
      and d.day > (now() at time zone 'UTC')::date - 30
  ) recent
  order by live desc, created_at desc, id desc`
