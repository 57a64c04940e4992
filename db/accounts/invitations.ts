import { createHash, randomBytes } from 'node:crypto'
import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { endUserSessions } from './sessions.ts'

/** Lifetime of an invitation link. */
const INVITATION_DAYS = 7

const hash = (token: string) => createHash('sha256').update(token).digest()

/** An invitation: a link to set a password. Its token cannot be shown again, since only a hash is stored. */
export interface Invitation {
  readonly token: string
  /** UTC, six fractional digits. */
  readonly expiresAt: string
}

/** Creates a user's invitation; it replaces the one before, and works as long as its issuer is an admin or the operator. */
export async function issueInvitation(
  trx: Db,
  { subscriptionId, userId, issuer }: { subscriptionId: number; userId: number; issuer: Actor },
): Promise<Invitation> {
  const token = randomBytes(32).toString('base64url')
  const [row] = await queryRows<{ expiresAt: string }>(
    trx,
    sql`insert into invitations (subscription_id, user_id, issued_by, token_hash, expires_at)
     values (${subscriptionId}, ${userId}, ${issuer.kind === 'user' ? issuer.id : null}, ${hash(token)}, now() + make_interval(days => ${INVITATION_DAYS}))
     on conflict (subscription_id, user_id) do update
       set token_hash = excluded.token_hash, issued_by = excluded.issued_by, created_at = excluded.created_at, expires_at = excluded.expires_at
     returning ${utcText('expires_at')} as "expiresAt"`,
  )
  if (!row) throw new Error('insert returned no row')
  return { token, expiresAt: row.expiresAt }
}

/** Whether the issuer of an invitation `i` is the operator or an admin who can act. */
const IS_BACKED = raw(`(i.issued_by is null or exists (
  select from users issuer
  where issuer.subscription_id = i.subscription_id and issuer.id = i.issued_by
    and issuer.role = 'admin' and issuer.disabled_at is null))`)

/**
 * Finds the user who may set a password with a token; undefined if it is unknown, used, replaced or expired, its user disabled, or
 * its issuer no longer an admin.
 */
export async function findInvitedUser(
  db: Db,
  token: string,
): Promise<
  { readonly email: string; readonly subscriptionName: string; readonly suspended: boolean } | undefined
> {
  const [found] = await queryRows<{ email: string; subscriptionName: string; suspended: boolean }>(
    db,
    sql`select u.email, s.name as "subscriptionName", s.suspended_at is not null as suspended
     from invitations i
     join users u on u.subscription_id = i.subscription_id and u.id = i.user_id
     join subscriptions s on s.id = i.subscription_id
     where i.token_hash = ${hash(token)} and i.expires_at > now() and u.disabled_at is null and ${IS_BACKED}`,
  )
  return found
}

/**
 * Sets the password of a token's user, uses up the token, and ends the user's sessions.
 *
 * @returns whether the token was valid, as in `findInvitedUser`; otherwise nothing changed.
 */
export async function acceptInvitation(
  db: Db,
  token: string,
  passwordHash: string,
  address?: string,
): Promise<boolean> {
  return db.transaction(async (trx) => {
    const [user] = await queryRows<{ subscriptionId: number; userId: number; email: string }>(
      trx,
      sql`with used as (
         delete from invitations i where token_hash = ${hash(token)} and expires_at > now() and ${IS_BACKED}
         returning subscription_id, user_id
       )
       update users u set password_hash = ${passwordHash} from used
       where u.subscription_id = used.subscription_id and u.id = used.user_id and u.disabled_at is null
       returning u.subscription_id as "subscriptionId", u.id as "userId", u.email`,
    )
    if (!user) return false
    await endUserSessions(trx, user)
    const { subscriptionId, userId, email } = user
    const actor: Actor = { kind: 'user', id: userId, name: email, address }
    await recordAudit(trx, { subscriptionId, actor, action: 'user.accept', subject: email })
    return true
  })
}

/** Removes up to `limit` expired invitations, which had no effect any more. */
export async function pruneInvitations(db: Db, limit: number): Promise<void> {
  await queryRows(
    db,
    // checked twice, since a concurrent call may renew one
    sql`delete from invitations where expires_at <= now() and (subscription_id, user_id) in (
       select subscription_id, user_id from invitations where expires_at <= now() limit ${limit})`,
  )
}
