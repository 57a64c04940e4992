import { createHash, randomBytes } from 'node:crypto'
import { type Db, queryRows } from '../postgres/database.ts'

export type KeyRole = 'uploader' | 'requester'

/** By this, people and secret scanners tell an API key; see SECURITY.md for the pattern. */
export const KEY_PREFIX = 'ink_'

/** A whole key: 43 characters of base64url, which are 256 random bits, after the prefix. */
const KEY = /^ink_[\w-]{43}$/

/** So much of a key is stored and shown: 36 random bits, by which a person tells keys apart. */
const SHOWN_CHARACTERS = KEY_PREFIX.length + 6

/** What is known of a key that someone presents; whether it may act is for the caller to decide. */
export interface ApiKey {
  readonly id: number
  readonly subscriptionId: number
  readonly role: KeyRole
  readonly label: string | null
  /** Neither revoked nor past its expiry. */
  readonly live: boolean
  readonly suspended: boolean
}

const hash = (key: string) => createHash('sha256').update(key).digest()

/** Makes a key. Only its hash and how it begins are stored, so that `key` cannot be shown again. */
export async function createApiKey(
  db: Db,
  options: {
    subscriptionId: number
    role: KeyRole
    label?: string | undefined
    expiresInDays?: number | undefined
  },
): Promise<{ id: number; key: string }> {
  const key = KEY_PREFIX + randomBytes(32).toString('base64url')
  const [row] = await queryRows<{ id: number }>(
    db,
    `insert into api_keys (subscription_id, key_hash, prefix, role, label, expires_at)
     values (?, ?, ?, ?, ?, now() + make_interval(days => ?)) returning id`,
    [
      options.subscriptionId,
      hash(key),
      key.slice(0, SHOWN_CHARACTERS),
      options.role,
      options.label ?? null,
      options.expiresInDays ?? null,
    ],
  )
  if (!row) throw new Error('insert returned no row')
  return { id: row.id, key }
}

/** The key as presented by a client, and notes its use, to the minute. */
export async function findApiKey(db: Db, key: string): Promise<ApiKey | undefined> {
  if (!KEY.test(key)) return undefined // no query for what was never made
  const [found] = await queryRows<ApiKey & { stale: boolean }>(
    db,
    `select k.id, k.subscription_id as "subscriptionId", k.role, k.label,
            k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) as live,
            s.suspended_at is not null as suspended,
            k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as stale
     from api_keys k join subscriptions s on s.id = k.subscription_id where k.key_hash = ?`,
    [hash(key)],
  )
  if (!found) return undefined
  const { stale, ...apiKey } = found
  if (stale && apiKey.live)
    await db.raw('update api_keys set last_used_at = now() where subscription_id = ? and id = ?', [
      apiKey.subscriptionId,
      apiKey.id,
    ])
  return apiKey
}

/**
 * Revokes a key for good; undefined when the subscription has no such key. A second call changes nothing, and says so.
 */
export async function revokeApiKey(
  db: Db,
  subscriptionId: number,
  id: number,
): Promise<{ role: KeyRole; label: string | null; revokedAt: Date; before: boolean } | undefined> {
  const [row] = await queryRows<{ role: KeyRole; label: string | null; revokedAt: Date; before: boolean }>(
    db,
    `update api_keys k set revoked_at = coalesce(k.revoked_at, now())
     from (select subscription_id, id, revoked_at from api_keys where subscription_id = ? and id = ? for update) old
     where k.subscription_id = old.subscription_id and k.id = old.id
     returning k.role, k.label, k.revoked_at as "revokedAt", old.revoked_at is not null as before`,
    [subscriptionId, id],
  )
  return row
}
