import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/**
 * Deletes a user with their sessions and their invitation; the e-mail address becomes free again. Audit records stay: they name
 * people by e-mail address.
 *
 * @returns whether the subscription had this user.
 */
export async function deleteUser(
  db: Db,
  { subscriptionId, id, actor }: { subscriptionId: number; id: number; actor: Actor },
): Promise<boolean> {
  return db.transaction(async (trx) => {
    // in the same order as `acceptInvitation`, so that the two do not deadlock
    await queryRows(
      trx,
      sql`delete from invitations where subscription_id = ${subscriptionId} and user_id = ${id}`,
    )
    // a concurrent sign-in waits for this lock, and then finds no user
    await queryRows(
      trx,
      sql`select from users where subscription_id = ${subscriptionId} and id = ${id} for update`,
    )
    await queryRows(
      trx,
      sql`delete from sessions where subscription_id = ${subscriptionId} and user_id = ${id}`,
    )
    const [deleted] = await queryRows<{ email: string; role: string }>(
      trx,
      sql`delete from users where subscription_id = ${subscriptionId} and id = ${id} returning email, role`,
    )
    if (!deleted) return false
    const { email, role } = deleted
    await recordAudit(trx, { subscriptionId, actor, action: 'user.delete', subject: email, detail: { role } })
    return true
  })
}
