import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { endInvitations, lockUser } from './admins.ts'
import { type KeyDecision, settleKeysOfUser, type UndecidedKeys } from './keys-of-user.ts'

/** The deletion of a user. */
interface UserDeletion {
  readonly subscriptionId: number
  readonly id: number
  readonly actor: Actor
  /** Needed if the user created keys that are live. */
  readonly keys?: KeyDecision | undefined
  /** Whether it may leave the subscription without an admin. */
  readonly evenLastAdmin: boolean
}

/**
 * Deletes a user with their sessions, their invitation and the invitations that they issued; the e-mail address becomes free
 * again. Records stay: they name people by e-mail address.
 *
 * @returns undefined if the subscription has no such user; `last_admin` or the undecided keys, and nothing changed, where the
 *   deletion leaves these behind.
 */
export async function deleteUser(
  db: Db,
  { subscriptionId, id, actor, keys, evenLastAdmin }: UserDeletion,
): Promise<'deleted' | 'last_admin' | UndecidedKeys | undefined> {
  return db.transaction(async (trx) => {
    const user = await lockUser(trx, subscriptionId, id) // a concurrent sign-in waits for this lock, and then finds no user
    if (!user) return undefined
    if (user.isLastAdmin && !evenLastAdmin) return 'last_admin'
    const undecided = await settleKeysOfUser(trx, { subscriptionId, userId: id, actor, keys })
    if (undecided) return undecided

    await endInvitations(trx, subscriptionId, { of: id, by: id })
    await queryRows(
      trx,
      sql`delete from sessions where subscription_id = ${subscriptionId} and user_id = ${id}`,
    )
    await queryRows(trx, sql`delete from users where subscription_id = ${subscriptionId} and id = ${id}`)
    const { email, role } = user
    await recordAudit(trx, {
      subscriptionId,
      actor,
      action: 'user.delete',
      subject: email,
      detail: { role, ...(keys && { keys }) },
    })
    return 'deleted'
  })
}
