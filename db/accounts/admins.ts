import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import type { UserRole } from './users.ts'

/** A user whose row is locked. */
interface LockedUser {
  readonly id: number
  readonly email: string
  readonly role: UserRole
  readonly disabled: boolean
  /** Whether no other admin of the subscription can sign in, but this one. */
  readonly isLastAdmin: boolean
}

/**
 * Locks a user and all admins of the subscription: of two concurrent changes that would leave no admin, the later one sees the
 * other.
 *
 * @returns undefined if the subscription has no such user.
 */
export async function lockUser(trx: Db, subscriptionId: number, id: number): Promise<LockedUser | undefined> {
  await lockInvitations(trx, subscriptionId, id)
  const rows = await queryRows<Omit<LockedUser, 'isLastAdmin'> & { able: boolean }>(
    trx,
    sql`select id, email, role, disabled_at is not null as disabled,
               role = 'admin' and disabled_at is null
                 and (password_hash is not null or exists (
                   select from sso_identities i join sso_connections c on c.subscription_id = i.subscription_id and c.issuer = i.issuer
                   where i.subscription_id = u.subscription_id and i.user_id = u.id)) as able
        from users u where subscription_id = ${subscriptionId} and (role = 'admin' or id = ${id})
        order by id for update`,
  )
  const user = rows.find((row) => row.id === id)
  if (!user) return undefined
  const { able, ...found } = user
  return { ...found, isLastAdmin: able && !rows.some((row) => row.id !== id && row.able) }
}

/**
 * Locks the invitation of a user, and those that the user issued. Always before users, as `acceptInvitation` does, so that the two do
 * not deadlock.
 */
export async function lockInvitations(trx: Db, subscriptionId: number, userId: number): Promise<void> {
  await queryRows(
    trx,
    sql`select from invitations where subscription_id = ${subscriptionId} and (user_id = ${userId} or issued_by = ${userId})
        order by user_id for update`,
  )
}

/** Ends the invitation of a user, and those that the user issued: a link does not outlive its issuer's right to make one. */
export async function endInvitations(
  trx: Db,
  subscriptionId: number,
  { of, by }: { of?: number; by: number },
): Promise<void> {
  await queryRows(
    trx,
    sql`delete from invitations
        where subscription_id = ${subscriptionId} and (user_id = ${of ?? null} or issued_by = ${by})`,
  )
}
