import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows, sixDigits } from '../postgres/database.ts'
import { type Invitation, issueInvitation } from './invitations.ts'
import { endUserSessions } from './own-sessions.ts'
import { normalizeEmail, type UserRole } from './users.ts'

/** Whether a user can log in, and why not. */
export const USER_STATES = ['active', 'invited', 'disabled'] as const

/** A user as an admin sees them; instants are UTC with six fractional digits. */
export interface UserAccount {
  readonly id: number
  readonly userEmail: string
  readonly role: UserRole
  readonly state: (typeof USER_STATES)[number]
  readonly createdAt: string
  /** null: never, as far as is known. */
  readonly lastLoginAt: string | null
  /** Until when the link to set a password works; null where none does. */
  readonly linkExpiresAt: string | null
}

const ACCOUNT = `
  u.id, u.email as "userEmail", u.role,
  case when u.disabled_at is not null then 'disabled' when u.password_hash is null then 'invited' else 'active' end
    as state,
  ${sixDigits('u.created_at')} as "createdAt",
  (select ${sixDigits('max(x.created_at)')} from sessions x
   where x.subscription_id = u.subscription_id and x.user_id = u.id) as "lastLoginAt",
  (select ${sixDigits('i.expires_at')} from invitations i
   where i.subscription_id = u.subscription_id and i.user_id = u.id and i.expires_at > now()) as "linkExpiresAt"`

/** Users of a subscription by e-mail, at most `limit`, those after `after`. */
export async function listUserAccounts(
  db: Db,
  subscriptionId: number,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<UserAccount[]> {
  return queryRows(
    db,
    `select ${ACCOUNT} from users u where u.subscription_id = ? and u.email collate "C" > ?
     order by u.email collate "C" limit ?`,
    [subscriptionId, after ?? '', limit],
  )
}

async function findUserAccount(db: Db, subscriptionId: number, id: number): Promise<UserAccount | undefined> {
  const [account] = await queryRows<UserAccount>(
    db,
    `select ${ACCOUNT} from users u where u.subscription_id = ? and u.id = ?`,
    [subscriptionId, id],
  )
  return account
}

/**
 * Makes a user without a password, and the link by which they set one.
 *
 * @returns undefined when any subscription has a user of this e-mail: nothing was made.
 */
export async function inviteUser(
  db: Db,
  user: { subscriptionId: number; actor: string; userEmail: string; role: UserRole },
): Promise<(Invitation & { id: number }) | undefined> {
  const { subscriptionId, actor, role } = user
  const email = normalizeEmail(user.userEmail)
  return db.transaction(async (trx) => {
    const [row] = await queryRows<{ id: number }>(
      trx,
      `insert into users (subscription_id, email, role) values (?, ?, ?)
       on conflict (email) do nothing returning id`,
      [subscriptionId, email, role],
    )
    if (!row) return undefined
    const invitation = await issueInvitation(trx, { subscriptionId, userId: row.id })
    await recordAudit(trx, { subscriptionId, actor, action: 'user.invite', subject: email, detail: { role } })
    return { ...invitation, id: row.id }
  })
}

/** Makes a new link to set a password. @returns undefined when the subscription has no such user, or they are disabled. */
export async function renewInvitation(
  db: Db,
  { subscriptionId, id, actor }: { subscriptionId: number; id: number; actor: string },
): Promise<(Invitation & { id: number }) | 'disabled' | undefined> {
  return db.transaction(async (trx) => {
    const [user] = await queryRows<{ email: string; disabled: boolean }>(
      trx,
      `select email, disabled_at is not null as disabled from users
       where subscription_id = ? and id = ? for no key update`,
      [subscriptionId, id],
    )
    if (!user) return undefined
    if (user.disabled) return 'disabled'
    const invitation = await issueInvitation(trx, { subscriptionId, userId: id })
    await recordAudit(trx, { subscriptionId, actor, action: 'user.reset', subject: user.email })
    return { ...invitation, id }
  })
}

/** What an admin changes of a user; members that are not given stay as they are. */
export interface UserChange {
  readonly subscriptionId: number
  readonly id: number
  readonly actor: string
  readonly role?: UserRole | undefined
  readonly disabled?: boolean | undefined
}

/**
 * Changes a user. One who is disabled is logged out everywhere, and their link to set a password works no more.
 *
 * @returns undefined when the subscription has no such user; `last_admin` when nobody else could log in as an admin after it, and
 *   nothing changed.
 */
export async function changeUser(
  db: Db,
  change: UserChange,
): Promise<UserAccount | 'last_admin' | undefined> {
  const { subscriptionId, id, actor } = change
  return db.transaction(async (trx) => {
    // all admins, in order: of two changes at once that would leave none, the later one sees what the other did
    const rows = await queryRows<{
      id: number
      email: string
      role: UserRole
      disabled: boolean
      able: boolean
    }>(
      trx,
      `select id, email, role, disabled_at is not null as disabled,
              disabled_at is null and password_hash is not null as able
       from users where subscription_id = ? and (role = 'admin' or id = ?) order by id for no key update`,
      [subscriptionId, id],
    )
    const before = rows.find((row) => row.id === id)
    if (!before) return undefined
    const { role = before.role, disabled = before.disabled } = change
    const isLeft = rows.some((row) => row.id !== id && row.role === 'admin' && row.able)
    const staysAdmin = role === 'admin' && !disabled
    if (before.role === 'admin' && before.able && !staysAdmin && !isLeft) return 'last_admin'

    await trx.raw(
      `update users set role = ?, disabled_at = case when ? then coalesce(disabled_at, now()) end
       where subscription_id = ? and id = ?`,
      [role, disabled, subscriptionId, id],
    )
    if (disabled && !before.disabled) {
      await endUserSessions(trx, { subscriptionId, userId: id })
      await trx.raw('delete from invitations where subscription_id = ? and user_id = ?', [subscriptionId, id])
    }
    const record = { subscriptionId, actor, subject: before.email }
    if (role !== before.role)
      await recordAudit(trx, { ...record, action: 'user.role', detail: { role, before: before.role } })
    if (disabled !== before.disabled)
      await recordAudit(trx, { ...record, action: disabled ? 'user.disable' : 'user.enable' })
    return findUserAccount(trx, subscriptionId, id)
  })
}
