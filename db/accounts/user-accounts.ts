import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { endInvitations, lockInvitations, lockUser } from './admins.ts'
import { type Invitation, issueInvitation } from './invitations.ts'
import { type KeyDecision, settleKeysOfUser, type UndecidedKeys } from './keys-of-user.ts'
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
  case when u.disabled_at is not null then 'disabled' when u.password_hash is not null or exists (
      select from sso_identities i where i.subscription_id = u.subscription_id and i.user_id = u.id) then 'active'
    else 'invited' end as state,
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
    const invitation = await issueInvitation(trx, { subscriptionId, userId: row.id, issuer: actor })
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
    await lockInvitations(trx, subscriptionId, id)
    const [user] = await queryRows<{ email: string; disabled: boolean }>(
      trx,
      sql`select email, disabled_at is not null as disabled from users
          where subscription_id = ${subscriptionId} and id = ${id} for no key update`,
    )
    if (!user) return undefined
    if (user.disabled) return 'disabled'
    const invitation = await issueInvitation(trx, { subscriptionId, userId: id, issuer: actor })
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
  /** Needed to disable a user who created keys that are live. */
  readonly keys?: KeyDecision | undefined
}

/**
 * Changes a user. Disabling a user ends their sessions and their invitation; an admin who is disabled or demoted also loses the
 * invitations that they issued.
 *
 * @returns undefined if the subscription has no such user; `last_admin`, and nothing changed, if nobody could sign in as an admin
 *   afterwards; the undecided keys, and nothing changed, if the user is to be disabled and created some that are live.
 */
export async function changeUser(
  db: Db,
  change: UserChange,
): Promise<UserAccount | 'last_admin' | UndecidedKeys | undefined> {
  const { subscriptionId, id, actor, keys } = change
  return db.transaction(async (trx) => {
    const before = await lockUser(trx, subscriptionId, id)
    if (!before) return undefined
    const { role = before.role, disabled = before.disabled } = change
    if (before.isLastAdmin && (role !== 'admin' || disabled)) return 'last_admin'
    const isDisabling = disabled && !before.disabled
    const undecided =
      isDisabling && (await settleKeysOfUser(trx, { subscriptionId, userId: id, actor, keys }))
    if (undecided) return undecided

    await queryRows(
      trx,
      sql`update users
          set role = ${role}, disabled_at = case when ${disabled} then coalesce(disabled_at, now()) end
          where subscription_id = ${subscriptionId} and id = ${id}`,
    )
    if (isDisabling) {
      await endUserSessions(trx, { subscriptionId, userId: id })
      await endInvitations(trx, subscriptionId, { of: id, by: id })
    }
    if (role !== 'admin') await endInvitations(trx, subscriptionId, { by: id })
    const record = { subscriptionId, actor, subject: before.email }
    if (role !== before.role)
      await recordAudit(trx, { ...record, action: 'user.role', detail: { role, before: before.role } })
    if (isDisabling)
      await recordAudit(trx, { ...record, action: 'user.disable', detail: { ...(keys && { keys }) } })
    if (before.disabled && !disabled) await recordAudit(trx, { ...record, action: 'user.enable' })
    return findUserAccount(trx, subscriptionId, id)
  })
}
