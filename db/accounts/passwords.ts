import { recordAudit } from '../audit/audit-events.ts'
import type { Db } from '../postgres/database.ts'
import { endUserSessions } from './own-sessions.ts'

/**
 * Gives a user another password, and ends the other sessions, since somebody else may be in them; for the same reason a link to
 * set a password works no more.
 */
export async function changePassword(
  db: Db,
  user: { subscriptionId: number; userId: number; email: string; passwordHash: string; sessionId: string },
): Promise<void> {
  const { subscriptionId, userId, email, passwordHash, sessionId } = user
  await db.transaction(async (trx) => {
    // in the order in which a link is used, so that the two do not deadlock
    await trx.raw('delete from invitations where subscription_id = ? and user_id = ?', [
      subscriptionId,
      userId,
    ])
    await trx.raw('update users set password_hash = ? where subscription_id = ? and id = ?', [
      passwordHash,
      subscriptionId,
      userId,
    ])
    await endUserSessions(trx, { subscriptionId, userId }, sessionId)
    await recordAudit(trx, { subscriptionId, actor: email, action: 'user.password', subject: email })
  })
}
