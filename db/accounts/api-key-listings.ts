import { type Db, queryRows, sixDigits } from '../postgres/database.ts'
import type { KeyRole } from './api-keys.ts'

/** A key as an admin sees it: never the key itself. */
export interface ApiKeyListing {
  readonly id: number
  /** How the key begins; null for one that was made before this was kept. */
  readonly prefix: string | null
  readonly role: KeyRole
  readonly label: string | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly lastUsedAt: Date | null
}

/** All keys of a subscription, oldest first. */
export async function listApiKeys(db: Db, subscriptionId: number): Promise<ApiKeyListing[]> {
  return queryRows(
    db,
    `select id, prefix, role, label, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
            last_used_at as "lastUsedAt"
     from api_keys where subscription_id = ? order by id`,
    [subscriptionId],
  )
}

/** As `ApiKeyListing`; instants are UTC with six fractional digits. */
export interface ApiKeyItem {
  readonly id: number
  readonly prefix: string | null
  readonly role: KeyRole
  readonly label: string | null
  /** Whether it lets anybody in, and why not. */
  readonly state: 'live' | 'expired' | 'revoked'
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  /** To the minute. */
  readonly lastUsedAt: string | null
}

/** After which key of a list the next part of it begins. */
export interface ApiKeyCursor {
  readonly live: boolean
  readonly id: number
}

const IS_LIVE = 'revoked_at is null and (expires_at is null or expires_at > now())'

/**
 * Keys of a subscription, at most `limit`: the live ones first, in each part the newest first.
 *
 * Reads all keys that the subscription ever had, since time ends some of them: less than 0.1 s for 100,000.
 */
export async function listApiKeyPage(
  db: Db,
  subscriptionId: number,
  { after, limit }: { after: ApiKeyCursor | undefined; limit: number },
): Promise<ApiKeyItem[]> {
  return queryRows(
    db,
    `select id, prefix, role, label,
            case when live then 'live' when revoked_at is null then 'expired' else 'revoked' end as state,
            ${sixDigits('created_at')} as "createdAt", ${sixDigits('expires_at')} as "expiresAt",
            ${sixDigits('revoked_at')} as "revokedAt", ${sixDigits('last_used_at')} as "lastUsedAt"
     from (
       select * from (select *, ${IS_LIVE} as live from api_keys where subscription_id = ?) k
       where (live, id) < (?::boolean, ?::integer) order by k.live desc, k.id desc limit ?
     ) page order by page.live desc, page.id desc`,
    [subscriptionId, after?.live ?? true, after?.id ?? MAX_ID, limit],
  )
}

const MAX_ID = 2 ** 31 - 1

/** How many keys of a subscription let somebody in. */
export async function countLiveKeys(db: Db, subscriptionId: number): Promise<number> {
  const [row] = await queryRows<{ keys: number }>(
    db,
    `select count(*)::int as keys from api_keys where subscription_id = ? and ${IS_LIVE}`,
    [subscriptionId],
  )
  return row?.keys ?? 0
}

/** The subscription of a key, for operators, who name a key by its id alone. */
export async function findSubscriptionOfKey(db: Db, id: number): Promise<number | undefined> {
  const [row] = await queryRows<{ subscriptionId: number }>(
    db,
    'select subscription_id as "subscriptionId" from api_keys where id = ?',
    [id],
  )
  return row?.subscriptionId
}
