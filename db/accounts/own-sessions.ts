import { type Db, queryRows, sixDigits } from '../postgres/database.ts'

/** A session that goes on, as its user sees it; instants are UTC with six fractional digits. */
export interface ActiveSession {
  readonly id: string
  readonly startedAt: string
  /** When its user, or a program, last went on with it. */
  readonly refreshedAt: string
  /** Where it was started; null for an old one. */
  readonly address: string | null
  /** As the client named itself. */
  readonly userAgent: string | null
}

const MAX_LISTED = 100

/** The sessions of a user that go on, newest first: 100 at most. */
export async function listActiveSessions(
  db: Db,
  subscriptionId: number,
  userId: number,
): Promise<ActiveSession[]> {
  return queryRows(
    db,
    `select x.id, ${sixDigits('x.created_at')} as "startedAt", ${sixDigits('t.at')} as "refreshedAt",
            x.address, x.user_agent as "userAgent"
     from sessions x
     cross join lateral (
       select max(t.created_at) as at from refresh_tokens t
       where t.subscription_id = x.subscription_id and t.session_id = x.id
     ) t
     where x.subscription_id = ? and x.user_id = ? and x.revoked_at is null and x.expires_at > now()
       and (x.refresh_seconds is null or t.at + make_interval(secs => x.refresh_seconds) > now())
     order by x.created_at desc limit ${MAX_LISTED}`,
    [subscriptionId, userId],
  )
}

/** Ends a session of a user; one that is none of theirs stays as it is. */
export async function endUserSession(
  db: Db,
  session: { subscriptionId: number; userId: number; id: string },
): Promise<void> {
  await db.raw(
    `update sessions set revoked_at = coalesce(revoked_at, now())
     where subscription_id = ? and user_id = ? and id = ?`,
    [session.subscriptionId, session.userId, session.id],
  )
}

/** Ends all sessions of a user, but for one where that is given. */
export async function endUserSessions(
  db: Db,
  user: { subscriptionId: number; userId: number },
  exceptId?: string,
): Promise<void> {
  await db.raw(
    `update sessions set revoked_at = now()
     where subscription_id = ? and user_id = ? and revoked_at is null and id is distinct from ?::uuid`,
    [user.subscriptionId, user.userId, exceptId ?? null],
  )
}
