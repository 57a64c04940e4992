import { createHash, randomBytes } from 'node:crypto'
import { type Db, queryRows } from '../postgres/database.ts'
import type { UserRole } from './users.ts'

/** How long a login can be refreshed. */
const SESSION_DAYS = 30

const hash = (token: string) => createHash('sha256').update(token).digest()

/** Who acts in a session; whether they still may is for the caller to decide. */
export interface SessionUser {
  readonly subscriptionId: number
  readonly sessionId: string
  readonly userId: number
  readonly email: string
  readonly role: UserRole
  /** Neither logged out, nor revoked, nor expired, and the user is not disabled. */
  readonly live: boolean
  readonly suspended: boolean
}

const SESSION_USER = `
  x.subscription_id as "subscriptionId", x.id as "sessionId", u.id as "userId", u.email, u.role,
  x.revoked_at is null and x.expires_at > now() and u.disabled_at is null as live,
  s.suspended_at is not null as suspended`

const SESSION_JOINS = `
  join users u on u.subscription_id = x.subscription_id and u.id = x.user_id
  join subscriptions s on s.id = x.subscription_id`

async function issueRefreshToken(trx: Db, subscriptionId: number, sessionId: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await trx('refresh_tokens').insert({
    token_hash: hash(token),
    subscription_id: subscriptionId,
    session_id: sessionId,
  })
  return token
}

/** Characters kept of what a client calls itself. */
const MAX_USER_AGENT = 300

/** Who starts a session, and from where. */
export interface NewSession {
  readonly subscriptionId: number
  readonly userId: number
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
  /** How long each of its refresh tokens works; without it, as long as the session lasts. */
  readonly refreshSeconds?: number
}

/** Starts a session and its first refresh token, of which only a hash is stored. */
export async function startSession(
  db: Db,
  session: NewSession,
): Promise<{ sessionId: string; refreshToken: string }> {
  return db.transaction(async (trx) => {
    const sessionId = crypto.randomUUID()
    await trx.raw(
      `insert into sessions (subscription_id, id, user_id, address, user_agent, refresh_seconds, expires_at)
       values (?, ?, ?, ?, ?, ?, now() + make_interval(days => ?))`,
      [
        session.subscriptionId,
        sessionId,
        session.userId,
        session.address ?? null,
        session.userAgent?.slice(0, MAX_USER_AGENT) ?? null,
        session.refreshSeconds ?? null,
        SESSION_DAYS,
      ],
    )
    return { sessionId, refreshToken: await issueRefreshToken(trx, session.subscriptionId, sessionId) }
  })
}

/** Names a session. */
export interface SessionKey {
  readonly subscriptionId: number
  readonly sessionId: string
}

/** Who acts in these sessions, in their order; undefined where there is no such session. */
export async function findSessions(
  db: Db,
  keys: readonly SessionKey[],
): Promise<(SessionUser | undefined)[]> {
  const users = await queryRows<SessionUser>(
    db,
    // one by one, by both columns: before Postgres has analysed the table, it would join all sessions of a subscription
    `select ${SESSION_USER} from unnest(?::integer[], ?::uuid[]) k (subscription_id, id)
     cross join lateral (
       select * from sessions where subscription_id = k.subscription_id and id = k.id limit 1
     ) x ${SESSION_JOINS}`,
    [keys.map(({ subscriptionId }) => subscriptionId), keys.map(({ sessionId }) => sessionId)],
  )
  const nameOf = ({ subscriptionId, sessionId }: SessionKey) => `${subscriptionId} ${sessionId}`
  const found = new Map(users.map((user) => [nameOf(user), user]))
  return keys.map((key) => found.get(nameOf(key)))
}

/**
 * Uses a refresh token up and gives its successor.
 *
 * A token that was used before revokes its whole session: either the client or a thief holds a stale copy, and we
 * cannot tell which.
 *
 * @returns undefined when the token is unknown, used, too old for its session, or its session is over.
 * @see RFC 9700, section 4.14.2, refresh token rotation
 */
export async function rotateRefreshToken(
  db: Db,
  token: string,
): Promise<{ user: SessionUser; refreshToken: string } | undefined> {
  return db.transaction(async (trx) => {
    const [found] = await queryRows<SessionUser & { used: boolean; idle: boolean }>(
      trx,
      `select ${SESSION_USER}, t.used_at is not null as used,
         coalesce(t.created_at + make_interval(secs => x.refresh_seconds) <= now(), false) as idle
       from refresh_tokens t
       join sessions x on x.subscription_id = t.subscription_id and x.id = t.session_id ${SESSION_JOINS}
       where t.token_hash = ? for update of t`,
      [hash(token)],
    )
    if (!found) return undefined
    const { used, idle, ...user } = found
    if (used) {
      await revokeSession(trx, user.subscriptionId, user.sessionId)
      return undefined
    }
    if (!user.live || user.suspended || idle) return undefined
    await trx.raw('update refresh_tokens set used_at = now() where token_hash = ?', [hash(token)])
    return { user, refreshToken: await issueRefreshToken(trx, user.subscriptionId, user.sessionId) }
  })
}

async function revokeSession(db: Db, subscriptionId: number, sessionId: string): Promise<void> {
  await db.raw(
    'update sessions set revoked_at = coalesce(revoked_at, now()) where subscription_id = ? and id = ?',
    [subscriptionId, sessionId],
  )
}

/** Ends the session that a refresh token belongs to; an unknown token changes nothing. */
export async function endSession(db: Db, refreshToken: string): Promise<void> {
  await db.raw(
    `update sessions x set revoked_at = coalesce(x.revoked_at, now()) from refresh_tokens t
     where t.token_hash = ? and x.subscription_id = t.subscription_id and x.id = t.session_id`,
    [hash(refreshToken)],
  )
}
