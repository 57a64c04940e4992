import { createHash, randomBytes } from 'node:crypto'
import { type Actor, actorText } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { startRecording, untilRecording } from '../events/recording.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { type KeyGrant, type KeyRole, type KeyScope, scopesOf, sortScopes } from './key-scopes.ts'
import { mayCreateKeys } from './keys-of-user.ts'
import { liveAndTest, openTestSubscription } from './test-subscriptions.ts'

/** Identifies an API key to people and secret scanners; see SECURITY.md for the pattern. */
export const KEY_PREFIX = 'ink_'

/** Prefix of the keys of test modes. */
const TEST_KEY_PREFIX = 'ink_test_'

/** A whole key: 43 characters of base64url, which are 256 random bits, after the prefix. */
const KEY = /^ink_(test_)?[\w-]{43}$/

/** Random characters of a key that are stored and shown after its prefix, to tell keys apart: 36 bits. */
const SHOWN_CHARACTERS = 6

/** Whether a key belongs to a subscription or to its test mode. */
export type Mode = 'live' | 'test'

/** A key that a client presented; the caller decides whether it may act. */
export interface ApiKey {
  readonly id: number
  readonly subscriptionId: number
  readonly scopes: readonly KeyScope[]
  readonly label: string | null
  /** Neither revoked nor expired. */
  readonly live: boolean
  readonly suspended: boolean
  /** Whether it is a key of a test mode, which `subscriptionId` then is. */
  readonly isTest: boolean
  /** Addresses and networks that may use it; null: all. */
  readonly networks: readonly string[] | null
}

/** The attributes of a new key. */
interface NewApiKey {
  readonly subscriptionId: number
  /** Either this or `scopes`. */
  readonly role?: KeyRole | undefined
  /** At least one. */
  readonly scopes?: readonly KeyScope[] | undefined
  readonly label?: string | undefined
  /** Never expires by default. */
  readonly expiresInDays?: number | undefined
  /** Addresses and networks in CIDR notation that may use it; all by default. */
  readonly networks?: readonly string[] | undefined
  readonly createdBy?: Actor | undefined
  /** Whether `subscriptionId` is a test mode. */
  readonly isTest?: boolean | undefined
}

const hash = (key: string) => createHash('sha256').update(key).digest()

const IS_LIVE = raw('revoked_at is null and (expires_at is null or expires_at > now())')

/** Creates a key. Only its hash and its first characters are stored, so `key` cannot be shown again. */
export async function createApiKey(
  db: Db,
  { subscriptionId, role, scopes, label, expiresInDays, networks, createdBy, isTest }: NewApiKey,
): Promise<{ id: number; key: string }> {
  const prefix = isTest ? TEST_KEY_PREFIX : KEY_PREFIX
  const key = prefix + randomBytes(32).toString('base64url')
  if (scopes?.includes('events:read')) await startRecording(db, subscriptionId)
  const [row] = await queryRows<{ id: number }>(
    db,
    sql`insert into api_keys (subscription_id, key_hash, prefix, role, scopes, label, expires_at, allowed_networks,
                              created_by, created_by_user)
        values (${subscriptionId}, ${hash(key)}, ${key.slice(0, prefix.length + SHOWN_CHARACTERS)}, ${role ?? null},
                ${scopes ? sortScopes(scopes) : null}::text[], ${label ?? null},
                now() + make_interval(days => ${expiresInDays ?? null}), ${networks ?? null}::text[],
                ${createdBy ? actorText(createdBy) : null}, ${createdBy?.kind === 'user' ? createdBy.id : null})
        returning id`,
  )
  if (!row) throw new Error('insert returned no row')
  return { id: row.id, key }
}

/** Limit of live keys per subscription: far more than it has clients. */
export const MAX_LIVE_KEYS = 1_000

/**
 * Creates a key, as `createApiKey` does, and records it in the audit log of the subscription; a test key belongs to the subscription's test
 * mode, which is created with the first one. If it may read events, they are recorded when this resolves.
 *
 * @returns undefined, and nothing was created, if the subscription already has `MAX_LIVE_KEYS`, or the actor is a user who has just
 *   been disabled or demoted.
 */
export async function createAuditedApiKey(
  db: Db,
  { actor, mode = 'live', ...key }: Omit<NewApiKey, 'isTest'> & { actor: Actor; mode?: Mode | undefined },
): Promise<{ id: number; key: string } | undefined> {
  const { subscriptionId, role, scopes, label, expiresInDays, networks } = key
  const isTest = mode === 'test'
  const ownerId = isTest ? await openTestSubscription(db, { subscriptionId, actor }) : subscriptionId
  const created = await db.transaction(async (trx) => {
    // one at a time, so that concurrent calls do not exceed the limit; uploads, whose foreign key reads this row, are not blocked
    await queryRows(trx, sql`select from subscriptions where id = ${subscriptionId} for no key update`)
    if (!(await mayCreateKeys(trx, subscriptionId, actor))) return undefined
    if ((await countLiveKeys(trx, ownerId)) >= MAX_LIVE_KEYS) return undefined
    const created = await createApiKey(trx, { ...key, subscriptionId: ownerId, isTest, createdBy: actor })
    await recordAudit(trx, {
      subscriptionId,
      actor,
      action: 'key.create',
      subject: String(created.id),
      detail: {
        ...{ role, scopes: scopes && sortScopes(scopes), label, expiresInDays, networks },
        ...(isTest && { mode }),
      },
    })
    return created
  })
  if (created && scopes?.includes('events:read')) await untilRecording(db)
  return created
}

/** Finds the key that a client presented. */
export async function findApiKey(db: Db, key: string): Promise<ApiKey | undefined> {
  if (!KEY.test(key)) return undefined // never created: no query
  const [found] = await queryRows<Omit<ApiKey, 'scopes'> & KeyGrant>(
    db,
    sql`select k.id, k.subscription_id as "subscriptionId", k.role, k.scopes, k.label, ${IS_LIVE} as live,
               s.suspended_at is not null as suspended, s.test_of is not null as "isTest",
               k.allowed_networks as networks
        from api_keys k join subscriptions s on s.id = k.subscription_id where k.key_hash = ${hash(key)}`,
  )
  return found && { ...found, scopes: scopesOf(found) }
}

/** Permissions of the key of a row: its role, or `custom`, and its scopes. */
const withGrant = <Row extends KeyGrant>(row: Row) => ({
  ...row,
  role: row.role ?? ('custom' as const),
  scopes: scopesOf(row),
})

/** A key that was revoked by this call, or `before`. */
interface RevokedKey extends KeyGrant {
  readonly label: string | null
  readonly revokedAt: Date
  readonly before: boolean
}

/** Revokes a key, also of the test mode; undefined if the subscription has no such key. A second call changes nothing and returns `before`. */
export async function revokeApiKey(
  db: Db,
  subscriptionId: number,
  id: number,
): Promise<RevokedKey | undefined> {
  const [row] = await queryRows<RevokedKey>(
    db,
    sql`update api_keys k set revoked_at = coalesce(k.revoked_at, now())
        from (
          select subscription_id, id, revoked_at from api_keys
          where subscription_id in ${liveAndTest(subscriptionId)} and id = ${id} for update
        ) old
        where k.subscription_id = old.subscription_id and k.id = old.id
        returning k.role, k.scopes, k.label, k.revoked_at as "revokedAt", old.revoked_at is not null as before`,
  )
  return row
}

/**
 * Revokes a key, as `revokeApiKey` does, and records it in the audit log; a key revoked before stays as it is, without a record.
 *
 * @returns undefined if the subscription has no such key.
 */
export async function revokeAuditedApiKey(
  db: Db,
  { subscriptionId, id, actor }: { subscriptionId: number; id: number; actor: Actor },
): Promise<{ revokedAt: Date } | undefined> {
  return db.transaction(async (trx) => {
    const revoked = await revokeApiKey(trx, subscriptionId, id)
    if (!revoked) return undefined
    const { before, revokedAt, role, scopes, label } = revoked
    if (!before)
      await recordAudit(trx, {
        subscriptionId,
        actor,
        action: 'key.revoke',
        subject: String(id),
        detail: { ...(role ? { role } : { scopes }), label },
      })
    return { revokedAt }
  })
}

/** A key as an admin sees it: never the key itself. */
export interface ApiKeyListing {
  readonly id: number
  /** First characters of the key; null if it was created before they were stored. */
  readonly prefix: string | null
  /** `custom` if the key was created with scopes. */
  readonly role: KeyRole | 'custom'
  /** Its own scopes, or those of its role. */
  readonly scopes: readonly KeyScope[]
  readonly label: string | null
  /** Name of the user or operator at the time; null if it was not recorded. */
  readonly createdBy: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly lastUsedAt: Date | null
  readonly networks: readonly string[] | null
  readonly mode: Mode
}

/** The mode of a key, in a statement on `api_keys`. */
const modeOf = (subscriptionId: number) =>
  sql`case when subscription_id = ${subscriptionId} then 'live' else 'test' end`

/** Lists all keys of a subscription and its test mode, oldest first. */
export async function listApiKeys(db: Db, subscriptionId: number): Promise<ApiKeyListing[]> {
  const rows = await queryRows<Omit<ApiKeyListing, keyof KeyGrant> & KeyGrant>(
    db,
    sql`select id, prefix, role, scopes, label, created_by as "createdBy", created_at as "createdAt", expires_at as "expiresAt",
               revoked_at as "revokedAt", last_used_at as "lastUsedAt", allowed_networks as networks,
               ${modeOf(subscriptionId)} as mode
        from api_keys where subscription_id in ${liveAndTest(subscriptionId)} order by created_at, id`,
  )
  return rows.map(withGrant)
}

/** As `ApiKeyListing`; timestamps are UTC with six fractional digits. */
export interface ApiKeyItem {
  readonly id: number
  readonly prefix: string | null
  readonly role: KeyRole | 'custom'
  readonly scopes: readonly KeyScope[]
  readonly label: string | null
  readonly state: 'live' | 'expired' | 'revoked'
  readonly createdBy: string | null
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  /** To the minute. */
  readonly lastUsedAt: string | null
  /** Addresses and networks that may use it; null: all. */
  readonly networks: readonly string[] | null
  readonly mode: Mode
}

/** The key after which the next page begins. */
interface ApiKeyCursor {
  readonly live: boolean
  readonly id: number
}

/**
 * Lists up to `limit` keys of a subscription and its test mode: live keys first, then newest first.
 *
 * Reads all keys that the subscription ever had, since time ends some of them: less than 0.1 s for 100,000.
 */
export async function listApiKeyPage(
  db: Db,
  subscriptionId: number,
  { after, limit }: { after: ApiKeyCursor | undefined; limit: number },
): Promise<ApiKeyItem[]> {
  const rest = after
    ? sql`(live, created_at, id) < (${after.live}::boolean, (
            select created_at from api_keys
            where subscription_id in ${liveAndTest(subscriptionId)} and id = ${after.id}
          ), ${after.id}::integer)`
    : sql`true`
  const rows = await queryRows<Omit<ApiKeyItem, keyof KeyGrant> & KeyGrant>(
    db,
    sql`select id, prefix, role, scopes, label,
               case when live then 'live' when revoked_at is null then 'expired' else 'revoked' end as state,
               created_by as "createdBy", ${utcText('created_at')} as "createdAt", ${utcText('expires_at')} as "expiresAt",
               ${utcText('revoked_at')} as "revokedAt", ${utcText('last_used_at')} as "lastUsedAt",
               allowed_networks as networks, ${modeOf(subscriptionId)} as mode
        from (
          select * from (
            select *, ${IS_LIVE} as live from api_keys where subscription_id in ${liveAndTest(subscriptionId)}
          ) k
          where ${rest}
          order by k.live desc, k.created_at desc, k.id desc limit ${limit}
        ) page order by page.live desc, page.created_at desc, page.id desc`,
  )
  return rows.map(withGrant)
}

/** Counts the live keys of a subscription. */
async function countLiveKeys(db: Db, subscriptionId: number): Promise<number> {
  const [row] = await queryRows<{ keys: number }>(
    db,
    sql`select count(*)::int as keys from api_keys where subscription_id = ${subscriptionId} and ${IS_LIVE}`,
  )
  return row?.keys ?? 0
}

/** Finds the subscription of a key, of a test key that of its test mode, for operators, who name a key by its id alone. */
export async function findSubscriptionOfKey(db: Db, id: number): Promise<number | undefined> {
  const [row] = await queryRows<{ subscriptionId: number }>(
    db,
    sql`select coalesce(s.test_of, s.id) as "subscriptionId"
        from api_keys k join subscriptions s on s.id = k.subscription_id where k.id = ${id}`,
  )
  return row?.subscriptionId
}
