import { createHash, randomBytes } from 'node:crypto'
import type { Actor } from '../audit/actor.ts'
import { type NewAuditEvent, recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import type { UserRole } from './users.ts'

/** How long a session can be refreshed. */
const SESSION_DAYS = 30

const hash = (token: string) => createHash('sha256').update(token).digest()

/** The user of a session; the caller decides whether they may act. */
export interface SessionUser {
  readonly subscriptionId: number
  readonly sessionId: string
  readonly userId: number
  readonly email: string
  readonly role: UserRole
  /** Neither signed out, revoked nor expired, and the user is not disabled. */
  readonly live: boolean
  readonly suspended: boolean
}

const SESSION_USER = raw(`
  x.subscription_id as "subscriptionId", x.id as "sessionId", u.id as "userId", u.email, u.role,
  x.revoked_at is null and x.expires_at > now() and u.disabled_at is null as live,
  s.suspended_at is not null as suspended`)

const SESSION_JOINS = raw(`
  join users u on u.subscription_id = x.subscription_id and u.id = x.user_id
  join subscriptions s on s.id = x.subscription_id`)

async function issueRefreshToken(trx: Db, subscriptionId: number, sessionId: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await trx('refresh_tokens').insert({
    token_hash: hash(token),
    subscription_id: subscriptionId,
    session_id: sessionId,
  })
  return token
}

/** Characters stored of a user agent. */
const MAX_USER_AGENT = 300

/** How a user signed in; `sso+mfa`: the provider has checked a second factor, or this service did after it. Stored: never renamed. */
export type SessionMethod =
  | 'password'
  | 'password+totp'
  | 'password+passkey'
  | 'password+recovery_code'
  | 'passkey'
  | 'sso'
  | 'sso+mfa'

/** The user and the origin of a new session. */
export interface NewSession {
  readonly subscriptionId: number
  readonly userId: number
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
  /** How the user proved who they are, such as `password+totp`. */
  readonly method?: SessionMethod | undefined
  /** Of a browser, the lifetime of each of its refresh tokens; those of programs last as long as the session. */
  readonly refreshSeconds?: number
}

/** Starts a session with its first refresh token, of which only a hash is stored. */
export async function startSession(
  db: Db,
  session: NewSession,
): Promise<{ sessionId: string; refreshToken: string }> {
  return db.transaction(async (trx) => {
    const sessionId = crypto.randomUUID()
    const { subscriptionId, userId, address, userAgent, method, refreshSeconds } = session
    await queryRows(
      trx,
      sql`insert into sessions (subscription_id, id, user_id, address, user_agent, method, authenticated_at,
                                refresh_seconds, expires_at)
          values (${subscriptionId}, ${sessionId}, ${userId}, ${address ?? null},
                  ${userAgent?.slice(0, MAX_USER_AGENT) ?? null}, ${method ?? null}, now(), ${refreshSeconds ?? null},
                  now() + make_interval(days => ${SESSION_DAYS}))`,
    )
    return { sessionId, refreshToken: await issueRefreshToken(trx, subscriptionId, sessionId) }
  })
}

/** A session's primary key. */
export interface SessionKey {
  readonly subscriptionId: number
  readonly sessionId: string
}

/** Returns the users of these sessions, in their order; undefined if there is no such session. */
export async function findSessions(
  db: Db,
  keys: readonly SessionKey[],
): Promise<(SessionUser | undefined)[]> {
  const users = await queryRows<SessionUser>(
    db,
    // one by one, by both columns: before Postgres has analysed the table, it would join all sessions of a subscription
    sql`select ${SESSION_USER}
        from unnest(${keys.map(({ subscriptionId }) => subscriptionId)}::integer[],
                    ${keys.map(({ sessionId }) => sessionId)}::uuid[]) k (subscription_id, id)
        cross join lateral (
          select * from sessions where subscription_id = k.subscription_id and id = k.id limit 1
        ) x ${SESSION_JOINS}`,
  )
  const keyText = ({ subscriptionId, sessionId }: SessionKey) => `${subscriptionId} ${sessionId}`
  const found = new Map(users.map((user) => [keyText(user), user]))
  return keys.map((key) => found.get(keyText(key)))
}

/** Who holds the refresh tokens of a session: a program, or a browser in a cookie. */
export type RefreshHolder = 'program' | 'browser'

/**
 * Uses up a refresh token and returns its successor.
 *
 * A token that was used before revokes its whole session: either the client or a thief holds a stale copy, and the service cannot
 * tell which.
 *
 * @returns undefined if the token is unknown, used or too old, belongs to the other kind of holder, or its session has ended.
 * @see RFC 9700, section 4.14.2, refresh token rotation
 */
export async function rotateRefreshToken(
  db: Db,
  token: string,
  holder: RefreshHolder,
  address?: string,
): Promise<{ user: SessionUser; refreshToken: string } | undefined> {
  return db.transaction(async (trx) => {
    const [found] = await queryRows<SessionUser & { used: boolean; idle: boolean }>(
      trx,
      sql`select ${SESSION_USER}, t.used_at is not null as used,
            coalesce(t.created_at + make_interval(secs => x.refresh_seconds) <= now(), false) as idle
          from refresh_tokens t
          join sessions x on x.subscription_id = t.subscription_id and x.id = t.session_id ${SESSION_JOINS}
          where t.token_hash = ${hash(token)} and (x.refresh_seconds is not null) = ${holder === 'browser'} for update of t`,
    )
    if (!found) return undefined
    const { used, idle, ...user } = found
    if (used) {
      await revokeSession(trx, user.subscriptionId, user.sessionId)
      if (user.live) await recordSession(trx, user, { action: 'session.reuse', outcome: 'denied', address })
      return undefined
    }
    if (!user.live || user.suspended || idle) return undefined
    await queryRows(trx, sql`update refresh_tokens set used_at = now() where token_hash = ${hash(token)}`)
    return { user, refreshToken: await issueRefreshToken(trx, user.subscriptionId, user.sessionId) }
  })
}

async function revokeSession(db: Db, subscriptionId: number, sessionId: string): Promise<void> {
  await queryRows(
    db,
    sql`update sessions set revoked_at = coalesce(revoked_at, now())
        where subscription_id = ${subscriptionId} and id = ${sessionId}`,
  )
}

/** Ends the session of a refresh token; one that is unknown, or whose session has ended, changes nothing. */
export async function endSession(db: Db, refreshToken: string, address?: string): Promise<void> {
  await db.transaction(async (trx) => {
    const [ended] = await queryRows<EndedSession>(
      trx,
      sql`update sessions x set revoked_at = now() from refresh_tokens t, users u
          where t.token_hash = ${hash(refreshToken)}
            and x.subscription_id = t.subscription_id and x.id = t.session_id and x.revoked_at is null
            and u.subscription_id = x.subscription_id and u.id = x.user_id
          returning x.subscription_id as "subscriptionId", x.id as "sessionId", u.id as "userId", u.email`,
    )
    if (ended) await recordSession(trx, ended, { action: 'session.logout', outcome: 'success', address })
  })
}

type EndedSession = Pick<SessionUser, 'subscriptionId' | 'sessionId' | 'userId' | 'email'>

function recordSession(
  trx: Db,
  { subscriptionId, sessionId, userId, email }: EndedSession,
  { address, ...event }: Pick<NewAuditEvent, 'action' | 'outcome'> & { address: string | undefined },
): Promise<void> {
  const actor: Actor = { kind: 'user', id: userId, name: email, address }
  return recordAudit(trx, { subscriptionId, actor, subject: sessionId, ...event })
}

/** An active session as its user sees it; timestamps are UTC with six fractional digits. */
export interface ActiveSession {
  readonly id: string
  readonly startedAt: string
  /** When its user, or a program, last refreshed it. */
  readonly refreshedAt: string
  /** The address that started it; null for an old one. */
  readonly address: string | null
  readonly userAgent: string | null
}

const MAX_LISTED = 100

/** Lists a user's active sessions, newest first: 100 at most. */
export async function listActiveSessions(
  db: Db,
  subscriptionId: number,
  userId: number,
): Promise<ActiveSession[]> {
  return queryRows(
    db,
    sql`select x.id, ${utcText('x.created_at')} as "startedAt", ${utcText('t.at')} as "refreshedAt",
               x.address, x.user_agent as "userAgent"
        from sessions x
        cross join lateral (
          select max(t.created_at) as at from refresh_tokens t
          where t.subscription_id = x.subscription_id and t.session_id = x.id
        ) t
        where x.subscription_id = ${subscriptionId} and x.user_id = ${userId}
          and x.revoked_at is null and x.expires_at > now()
          and (x.refresh_seconds is null or t.at + make_interval(secs => x.refresh_seconds) > now())
        order by x.created_at desc limit ${MAX_LISTED}`,
  )
}

/** Ends a session of a user; another user's session does not change. */
export async function endUserSession(
  db: Db,
  { subscriptionId, userId, id }: { subscriptionId: number; userId: number; id: string },
): Promise<boolean> {
  const ended = await queryRows(
    db,
    sql`update sessions set revoked_at = now()
        where subscription_id = ${subscriptionId} and user_id = ${userId} and id = ${id} and revoked_at is null
        returning id`,
  )
  return ended.length > 0
}

/** Ends all sessions of a user, except for `exceptId`. */
export async function endUserSessions(
  db: Db,
  { subscriptionId, userId }: { subscriptionId: number; userId: number },
  exceptId?: string,
): Promise<void> {
  await queryRows(
    db,
    sql`update sessions set revoked_at = now()
        where subscription_id = ${subscriptionId} and user_id = ${userId} and revoked_at is null
          and id is distinct from ${exceptId ?? null}::uuid`,
  )
}

/** Days that an ended session is stored: as long as a session lasts, for the investigation of a stolen token. */
const STORED_DAYS = 30

const IS_OVER = raw(`least(x.expires_at, x.revoked_at) < now() - make_interval(days => ${STORED_DAYS})`)

/**
 * Removes sessions that ended long ago and their refresh tokens: at most `limit` of each. The newest session of a user stays,
 * without its tokens, since it records when they last signed in.
 *
 * An active session keeps all of its tokens, however old: a token that is used twice must be recognised as used. Once the
 * session has ended, its tokens have no effect.
 */
export async function pruneSessions(db: Db, limit: number): Promise<void> {
  await queryRows(
    db,
    sql`delete from refresh_tokens where token_hash = any(array(
          select t.token_hash from sessions x
          join refresh_tokens t on t.subscription_id = x.subscription_id and t.session_id = x.id
          where ${IS_OVER} limit ${limit}))`,
  )
  await queryRows(
    db,
    sql`delete from sessions where (subscription_id, id) in (
          select x.subscription_id, x.id from sessions x
          where ${IS_OVER}
            and exists (select from sessions newer where newer.subscription_id = x.subscription_id
              and newer.user_id = x.user_id and newer.created_at > x.created_at)
            and not exists (select from refresh_tokens t
              where t.subscription_id = x.subscription_id and t.session_id = x.id)
          limit ${limit})`,
  )
}
