import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'

/**
 * Deletes a user with their sessions and their link to set a password, so that the e-mail address is free again. Records that
 * name the user stay as they are, since they name people by e-mail address.
 *
 * @returns whether the subscription had this user.
 */
export async function deleteUser(
  db: Db,
  { subscriptionId, id, actor }: { subscriptionId: number; id: number; actor: string },
): Promise<boolean> {
  const user = [subscriptionId, id]
  return db.transaction(async (trx) => {
    // in the order in which a link is used, so that the two do not deadlock
    await trx.raw('delete from invitations where subscription_id = ? and user_id = ?', user)
    // a login that begins meanwhile waits for this lock, and then finds nobody
    await trx.raw('select from users where subscription_id = ? and id = ? for update', user)
    await trx.raw('delete from sessions where subscription_id = ? and user_id = ?', user)
    const [deleted] = await queryRows<{ email: string; role: string }>(
      trx,
      'delete from users where subscription_id = ? and id = ? returning email, role',
      user,
    )
    if (!deleted) return false
    const { email, role } = deleted
    await recordAudit(trx, { subscriptionId, actor, action: 'user.delete', subject: email, detail: { role } })
    return true
  })
}
