import { createHash, randomBytes } from 'node:crypto'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows, sixDigits } from '../postgres/database.ts'
import { endUserSessions } from './own-sessions.ts'

/** How long the link of an invitation works. */
const INVITATION_DAYS = 7

const hash = (token: string) => createHash('sha256').update(token).digest()

/** What a link to set a password is made of, this once: only a hash of the token is stored. */
export interface Invitation {
  readonly token: string
  /** UTC, six fractional digits. */
  readonly expiresAt: string
}

/** Makes a user's link to set a password; the one before works no more. */
export async function issueInvitation(
  trx: Db,
  { subscriptionId, userId }: { subscriptionId: number; userId: number },
): Promise<Invitation> {
  const token = randomBytes(32).toString('base64url')
  const [row] = await queryRows<{ expiresAt: string }>(
    trx,
    `insert into invitations (subscription_id, user_id, token_hash, expires_at)
     values (?, ?, ?, now() + make_interval(days => ${INVITATION_DAYS}))
     on conflict (subscription_id, user_id) do update
       set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at
     returning ${sixDigits('expires_at')} as "expiresAt"`,
    [subscriptionId, userId, hash(token)],
  )
  if (!row) throw new Error('insert returned no row')
  return { token, expiresAt: row.expiresAt }
}

/** Who may set a password by a token; undefined where it is unknown, used, replaced or expired, or its user is disabled. */
export async function findInvitedUser(
  db: Db,
  token: string,
): Promise<{ readonly email: string; readonly suspended: boolean } | undefined> {
  const [found] = await queryRows<{ email: string; suspended: boolean }>(
    db,
    `select u.email, s.suspended_at is not null as suspended
     from invitations i
     join users u on u.subscription_id = i.subscription_id and u.id = i.user_id
     join subscriptions s on s.id = i.subscription_id
     where i.token_hash = ? and i.expires_at > now() and u.disabled_at is null`,
    [hash(token)],
  )
  return found
}

/**
 * Sets the password of the user that a token was made for, uses the token up, and ends the sessions of the user.
 *
 * @returns whether the token was good, as `findInvited` says; else nothing changed.
 */
export async function acceptInvitation(db: Db, token: string, passwordHash: string): Promise<boolean> {
  return db.transaction(async (trx) => {
    const [user] = await queryRows<{ subscriptionId: number; userId: number; email: string }>(
      trx,
      `with used as (
         delete from invitations where token_hash = ? and expires_at > now() returning subscription_id, user_id
       )
       update users u set password_hash = ? from used
       where u.subscription_id = used.subscription_id and u.id = used.user_id and u.disabled_at is null
       returning u.subscription_id as "subscriptionId", u.id as "userId", u.email`,
      [hash(token), passwordHash],
    )
    if (!user) return false
    await endUserSessions(trx, user)
    const { subscriptionId, email } = user
    await recordAudit(trx, { subscriptionId, actor: email, action: 'user.accept', subject: email })
    return true
  })
}

/** Removes invitations that expired, at most `limit`: as far as anybody can tell, they were gone. */
export async function pruneInvitations(db: Db, limit: number): Promise<void> {
  await queryRows(
    db,
    // asked twice, since one may be renewed meanwhile
    `delete from invitations where expires_at <= now() and (subscription_id, user_id) in (
       select subscription_id, user_id from invitations where expires_at <= now() limit ?)`,
    [limit],
  )
}
