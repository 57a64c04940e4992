import { recordAudit } from '../audit/audit-events.ts'
import { type Db, queryRows } from '../postgres/database.ts'
import { countLiveKeys } from './api-key-listings.ts'
import { createApiKey, type KeyRole, revokeApiKey } from './api-keys.ts'

/** So many keys of a subscription may let somebody in at a time: far more than it has clients. */
export const MAX_LIVE_KEYS = 1_000

/**
 * Makes a key, as `createApiKey` does, and records that for the audit.
 *
 * @returns undefined when the subscription has `MAX_LIVE_KEYS` already: nothing was made.
 */
export async function createAuditedApiKey(
  db: Db,
  key: {
    subscriptionId: number
    actor: string
    role: KeyRole
    label?: string | undefined
    expiresInDays?: number | undefined
  },
): Promise<{ id: number; key: string } | undefined> {
  const { subscriptionId, actor, role, label, expiresInDays } = key
  return db.transaction(async (trx) => {
    // one at a time, so that no two take the last place; uploads, whose foreign key looks at this row, go on
    await queryRows(trx, 'select from subscriptions where id = ? for no key update', [subscriptionId])
    if ((await countLiveKeys(trx, subscriptionId)) >= MAX_LIVE_KEYS) return undefined
    const created = await createApiKey(trx, { subscriptionId, role, label, expiresInDays })
    await recordAudit(trx, {
      subscriptionId,
      actor,
      action: 'key.create',
      subject: String(created.id),
      detail: { role, label, expiresInDays },
    })
    return created
  })
}

/**
 * Revokes a key, as `revokeApiKey` does, and records that for the audit; one that was revoked before stays as it is, with
 * nothing to record.
 *
 * @returns undefined when the subscription has no such key.
 */
export async function revokeAuditedApiKey(
  db: Db,
  { subscriptionId, id, actor }: { subscriptionId: number; id: number; actor: string },
): Promise<{ revokedAt: Date } | undefined> {
  return db.transaction(async (trx) => {
    const revoked = await revokeApiKey(trx, subscriptionId, id)
    if (!revoked) return undefined
    const { before, revokedAt, role, label } = revoked
    if (!before)
      await recordAudit(trx, {
        subscriptionId,
        actor,
        action: 'key.revoke',
        subject: String(id),
        detail: { role, label },
      })
    return { revokedAt }
  })
}
