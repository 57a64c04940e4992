import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { type Invitation, issueInvitation } from './invitations.ts'
import { endUserSessions } from './sessions.ts'
import { normalizeEmail, type UserRole } from './users.ts'

/** Whether a user can sign in, and why not. */
export const USER_STATES = ['active', 'invited', 'disabled'] as const

/** A user as an admin sees them; timestamps are UTC with six fractional digits. */
export interface UserAccount {
  readonly id: number
  readonly userEmail: string
  readonly role: UserRole
  readonly state: (typeof USER_STATES)[number]
  readonly createdAt: string
  /** null: never, or before this was recorded. */
  readonly lastLoginAt: string | null
  /** When the invitation link expires; null if there is none. */
  readonly linkExpiresAt: string | null
}

const ACCOUNT = sql`
  u.id, u.email as "userEmail", u.role,
  case when u.disabled_at is not null then 'disabled' when u.password_hash is null then 'invited' else 'active' end
    as state,
  ${utcText('u.created_at')} as "createdAt",
  (select ${utcText('max(x.created_at)')} from sessions x
   where x.subscription_id = u.subscription_id and x.user_id = u.id) as "lastLoginAt",
  (select ${utcText('i.expires_at')} from invitations i
   where i.subscription_id = u.subscription_id and i.user_id = u.id and i.expires_at > now()) as "linkExpiresAt"`

/** Lists up to `limit` users of a subscription by e-mail, starting after `after`. */
export async function listUserAccounts(
  db: Db,
  subscriptionId: number,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<UserAccount[]> {
  return queryRows(
    db,
    sql`select ${ACCOUNT} from users u
        where u.subscription_id = ${subscriptionId} and u.email collate "C" > ${after ?? ''}
        order by u.email collate "C" limit ${limit}`,
  )
}

async function findUserAccount(db: Db, subscriptionId: number, id: number): Promise<UserAccount | undefined> {
  const [account] = await queryRows<UserAccount>(
    db,
    sql`select ${ACCOUNT} from users u where u.subscription_id = ${subscriptionId} and u.id = ${id}`,
  )
  return account
}

/**
 * Creates a user without a password, and the link to set one.
 *
 * @returns undefined if the subscription has a user of this e-mail: nothing was created.
 */
export async function inviteUser(
  db: Db,
  user: { subscriptionId: number; actor: Actor; userEmail: string; role: UserRole },
): Promise<(Invitation & { id: number }) | undefined> {
  const { subscriptionId, actor, role } = user
  const email = normalizeEmail(user.userEmail)
  return db.transaction(async (trx) => {
    const [row] = await queryRows<{ id: number }>(
      trx,
      sql`insert into users (subscription_id, email, role) values (${subscriptionId}, ${email}, ${role})
          on conflict (email, subscription_id) do nothing returning id`,
    )
    if (!row) return undefined
    const invitation = await issueInvitation(trx, { subscriptionId, userId: row.id })
    await recordAudit(trx, { subscriptionId, actor, action: 'user.invite', subject: email, detail: { role } })
    return { ...invitation, id: row.id }
  })
}

/** Creates a new link to set a password. @returns undefined if the subscription has no such user. */
export async function renewInvitation(
  db: Db,
  { subscriptionId, id, actor }: { subscriptionId: number; id: number; actor: Actor },
): Promise<(Invitation & { id: number }) | 'disabled' | undefined> {
  return db.transaction(async (trx) => {
    const [user] = await queryRows<{ email: string; disabled: boolean }>(
      trx,
      sql`select email, disabled_at is not null as disabled from users
          where subscription_id = ${subscriptionId} and id = ${id} for no key update`,
    )
    if (!user) return undefined
    if (user.disabled) return 'disabled'
    const invitation = await issueInvitation(trx, { subscriptionId, userId: id })
    await recordAudit(trx, { subscriptionId, actor, action: 'user.reset', subject: user.email })
    return { ...invitation, id }
  })
}

/** An admin's change of a user; absent members stay as they are. */
export interface UserChange {
  readonly subscriptionId: number
  readonly id: number
  readonly actor: Actor
  readonly role?: UserRole | undefined
  readonly disabled?: boolean | undefined
}

/**
 * Changes a user. Disabling a user ends their sessions and removes their invitation.
 *
 * @returns undefined if the subscription has no such user; `last_admin`, and nothing changed, if nobody could sign in as an admin
 *   afterwards.
 */
export async function changeUser(
  db: Db,
  change: UserChange,
): Promise<UserAccount | 'last_admin' | undefined> {
  const { subscriptionId, id, actor } = change
  return db.transaction(async (trx) => {
    // locks all admins, in order: of two concurrent changes that would leave none, the later one sees the other
    const rows = await queryRows<{
      id: number
      email: string
      role: UserRole
      disabled: boolean
      able: boolean
    }>(
      trx,
      sql`select id, email, role, disabled_at is not null as disabled,
                 disabled_at is null and password_hash is not null as able
          from users where subscription_id = ${subscriptionId} and (role = 'admin' or id = ${id})
          order by id for no key update`,
    )
    const before = rows.find((row) => row.id === id)
    if (!before) return undefined
    const { role = before.role, disabled = before.disabled } = change
    const isOtherAdmin = rows.some((row) => row.id !== id && row.role === 'admin' && row.able)
    const staysAdmin = role === 'admin' && !disabled
    if (before.role === 'admin' && before.able && !staysAdmin && !isOtherAdmin) return 'last_admin'

    await queryRows(
      trx,
      sql`update users
          set role = ${role}, disabled_at = case when ${disabled} then coalesce(disabled_at, now()) end
          where subscription_id = ${subscriptionId} and id = ${id}`,
    )
    if (disabled && !before.disabled) {
      await endUserSessions(trx, { subscriptionId, userId: id })
      await queryRows(
        trx,
        sql`delete from invitations where subscription_id = ${subscriptionId} and user_id = ${id}`,
      )
    }
    const record = { subscriptionId, actor, subject: before.email }
    if (role !== before.role)
      await recordAudit(trx, { ...record, action: 'user.role', detail: { role, before: before.role } })
    if (disabled !== before.disabled)
      await recordAudit(trx, { ...record, action: disabled ? 'user.disable' : 'user.enable' })
    return findUserAccount(trx, subscriptionId, id)
  })
}
