import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Actor, actorText } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import type { CollectionLevel } from './collections.ts'
import { findSiteKeyItem, IS_LIVE, type SiteKeyItem } from './list-site-keys.ts'

/** Identify a site key and its mode to people; the key is public, since pages contain it. */
const PREFIXES = { live: 'pk_', test: 'pk_test_' }

/** 192 random bits: 32 characters of base64url. */
const KEY_BYTES = 24

/** Limit of live site keys per subscription: far more than it has sites. */
export const MAX_LIVE_SITE_KEYS = 1_000

/** The settings of a site key that can be changed. */
interface SiteKeySettings {
  readonly label: string
  /** Origins of the pages that may use it, exactly as browsers send them. */
  readonly origins: readonly string[]
  /** Optional modules of the SDK that its pages may load. */
  readonly modules: readonly string[]
  /** Per day in UTC. */
  readonly maxCollectionsPerDay: number
}

/** Who changes a site key of which subscription. */
interface By {
  readonly subscriptionId: number
  readonly actor: Actor
}

/**
 * Creates a site key and records it in the audit log.
 *
 * @returns `limit` if the subscription already has `MAX_LIVE_SITE_KEYS`: nothing was created.
 */
export async function createSiteKey(
  db: Db,
  { subscriptionId, actor, ...key }: By & SiteKeySettings & { level: CollectionLevel },
): Promise<SiteKeyItem | 'limit'> {
  return db.transaction(async (trx) => {
    if ((await lockAndCountLive(trx, subscriptionId)) >= MAX_LIVE_SITE_KEYS) return 'limit'
    const id = await insertSiteKey(trx, { subscriptionId, actor }, key)
    const { label, level, origins, modules, maxCollectionsPerDay } = key
    await recordAudit(trx, {
      subscriptionId,
      actor,
      action: 'site_key.create',
      subject: String(id),
      detail: { label, level, origins, modules, maxCollectionsPerDay },
    })
    return requireItem(trx, subscriptionId, id)
  })
}

/**
 * Changes settings of a live site key and records those that differ from before in the audit log.
 *
 * @returns `ended` for a revoked or expired key; undefined if the subscription has no such key.
 */
export async function changeSiteKey(
  db: Db,
  {
    subscriptionId,
    actor,
    id,
    ...change
  }: By & { id: number } & { [Name in keyof SiteKeySettings]?: SiteKeySettings[Name] | undefined },
): Promise<SiteKeyItem | 'ended' | undefined> {
  return db.transaction(async (trx) => {
    const found = await lockSiteKey(trx, subscriptionId, id)
    if (!found?.live) return found && 'ended'
    const { label, origins, modules, maxCollectionsPerDay } = found
    const before: SiteKeySettings = { label, origins, modules, maxCollectionsPerDay }
    const after: SiteKeySettings = {
      label: change.label ?? label,
      origins: change.origins ?? origins,
      modules: change.modules ?? modules,
      maxCollectionsPerDay: change.maxCollectionsPerDay ?? maxCollectionsPerDay,
    }
    const { changed, previous } = compare(before, after)
    if (Object.keys(changed).length > 0) {
      await queryRows(
        trx,
        sql`update site_keys
            set label = ${after.label}, origins = ${after.origins}, modules = ${after.modules},
                max_collections_per_day = ${after.maxCollectionsPerDay}
            where subscription_id = ${subscriptionId} and id = ${id}`,
      )
      await recordAudit(trx, {
        subscriptionId,
        actor,
        action: 'site_key.change',
        subject: String(id),
        detail: { label: after.label, ...changed, before: previous },
      })
    }
    return requireItem(trx, subscriptionId, id)
  })
}

/**
 * Creates a successor with the same settings; the key itself expires after `overlapHours`. Recorded in the audit log.
 *
 * @returns the successor; `rotated` for a key that has a successor already, `ended` for a revoked one, `limit` if both keys would
 * exceed `MAX_LIVE_SITE_KEYS`; undefined if the subscription has no such key.
 */
export async function rotateSiteKey(
  db: Db,
  { subscriptionId, actor, id, overlapHours }: By & { id: number; overlapHours: number },
): Promise<SiteKeyItem | 'rotated' | 'ended' | 'limit' | undefined> {
  return db.transaction(async (trx) => {
    const live = await lockAndCountLive(trx, subscriptionId)
    const found = await lockSiteKey(trx, subscriptionId, id)
    if (!found) return undefined
    if (found.rotated) return 'rotated'
    if (!found.live) return 'ended'
    if (overlapHours > 0 && live >= MAX_LIVE_SITE_KEYS) return 'limit'
    await queryRows(
      trx,
      sql`update site_keys set expires_at = now() + make_interval(hours => ${overlapHours})
          where subscription_id = ${subscriptionId} and id = ${id}`,
    )
    const successor = await insertSiteKey(trx, { subscriptionId, actor }, found)
    await recordAudit(trx, {
      subscriptionId,
      actor,
      action: 'site_key.rotate',
      subject: String(id),
      detail: { label: found.label, successor, overlapHours },
    })
    return requireItem(trx, subscriptionId, successor)
  })
}

/**
 * Revokes a site key and records it in the audit log; a key revoked before stays as it is, without a record.
 *
 * @returns undefined if the subscription has no such key.
 */
export async function revokeSiteKey(
  db: Db,
  { subscriptionId, actor, id }: By & { id: number },
): Promise<SiteKeyItem | undefined> {
  return db.transaction(async (trx) => {
    const found = await lockSiteKey(trx, subscriptionId, id)
    if (!found) return undefined
    if (!found.revoked) {
      await queryRows(
        trx,
        sql`update site_keys set revoked_at = now() where subscription_id = ${subscriptionId} and id = ${id}`,
      )
      await recordAudit(trx, {
        subscriptionId,
        actor,
        action: 'site_key.revoke',
        subject: String(id),
        detail: { label: found.label },
      })
    }
    return requireItem(trx, subscriptionId, id)
  })
}

/** Locks the subscription, so that concurrent calls do not exceed the limit; uploads, whose foreign key reads the row, are not blocked. */
async function lockAndCountLive(trx: Db, subscriptionId: number): Promise<number> {
  await queryRows(trx, sql`select from subscriptions where id = ${subscriptionId} for no key update`)
  const [row] = await queryRows<{ keys: number }>(
    trx,
    sql`select count(*)::int as keys from site_keys where subscription_id = ${subscriptionId} and ${IS_LIVE}`,
  )
  return row?.keys ?? 0
}

interface LockedSiteKey extends SiteKeySettings {
  readonly level: CollectionLevel
  readonly live: boolean
  readonly rotated: boolean
  readonly revoked: boolean
}

/** Locks a site key; collections that it opens at the same time, whose foreign key reads the row, are not blocked. */
async function lockSiteKey(trx: Db, subscriptionId: number, id: number): Promise<LockedSiteKey | undefined> {
  const [found] = await queryRows<LockedSiteKey>(
    trx,
    sql`select label, level, origins, modules, max_collections_per_day as "maxCollectionsPerDay", ${IS_LIVE} as live,
               expires_at is not null as rotated, revoked_at is not null as revoked
        from site_keys where subscription_id = ${subscriptionId} and id = ${id} for no key update`,
  )
  return found
}

async function insertSiteKey(
  trx: Db,
  { subscriptionId, actor }: By,
  { label, level, origins, modules, maxCollectionsPerDay }: SiteKeySettings & { level: CollectionLevel },
): Promise<number> {
  const prefix = sql`(
    select case when test_of is null then ${PREFIXES.live} else ${PREFIXES.test} end from subscriptions where id = ${subscriptionId}
  )`
  const [row] = await queryRows<{ id: number }>(
    trx,
    sql`insert into site_keys (subscription_id, key, label, level, origins, modules, max_collections_per_day,
                               created_by, created_by_user)
        values (${subscriptionId}, ${prefix} || ${randomBytes(KEY_BYTES).toString('base64url')}::text, ${label}, ${level}, ${origins}, ${modules}, ${maxCollectionsPerDay},
                ${actorText(actor)}, ${actor.kind === 'user' ? actor.id : null})
        returning id`,
  )
  if (!row) throw new Error('insert returned no row')
  return row.id
}

/** Finds the settings that differ, with their values after and before. */
function compare(before: SiteKeySettings, after: SiteKeySettings) {
  const names = (Object.keys(after) as (keyof SiteKeySettings)[]).filter(
    (name) => !isDeepStrictEqual(after[name], before[name]),
  )
  const valuesIn = (settings: SiteKeySettings) =>
    Object.fromEntries(names.map((name) => [name, settings[name]]))
  return { changed: valuesIn(after), previous: valuesIn(before) }
}

async function requireItem(trx: Db, subscriptionId: number, id: number): Promise<SiteKeyItem> {
  const item = await findSiteKeyItem(trx, subscriptionId, id)
  if (!item) throw new Error('site key not found after its change')
  return item
}
