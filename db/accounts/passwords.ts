import type { Actor } from '../audit/actor.ts'
import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import { endUserSessions } from './sessions.ts'

/**
 * Changes a user's password. Ends their other sessions and removes their invitation, since somebody else may hold them.
 */
export async function changePassword(
  db: Db,
  user: {
    subscriptionId: number
    userId: number
    email: string
    actor: Actor
    passwordHash: string
    sessionId: string
  },
): Promise<void> {
  const { subscriptionId, userId, email, actor, passwordHash, sessionId } = user
  await db.transaction(async (trx) => {
    // in the same order as `acceptInvitation`, so that the two do not deadlock
    await queryRows(
      trx,
      sql`delete from invitations where subscription_id = ${subscriptionId} and user_id = ${userId}`,
    )
    await queryRows(
      trx,
      sql`update users set password_hash = ${passwordHash}
          where subscription_id = ${subscriptionId} and id = ${userId}`,
    )
    await endUserSessions(trx, { subscriptionId, userId }, sessionId)
    await recordAudit(trx, { subscriptionId, actor, action: 'user.password', subject: email })
  })
}

/**
 * Replaces the hash of a user's password by another one of the same password: nothing else changes. A password that was changed
 * since stays.
 */
export async function replacePasswordHash(
  db: Db,
  user: { subscriptionId: number; id: number; passwordHash: string | null },
  passwordHash: string,
): Promise<void> {
  await queryRows(
    db,
    sql`update users set password_hash = ${passwordHash}
        where subscription_id = ${user.subscriptionId} and id = ${user.id} and password_hash = ${user.passwordHash}`,
  )
}
