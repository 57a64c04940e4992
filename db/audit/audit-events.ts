import type { Db } from '../postgres/database.ts'
import type { AuditAction } from './audit-actions.ts'

/** Records a change in the audit log; call it in the transaction of the change. */
export async function recordAudit(
  trx: Db,
  event: { subscriptionId: number; actor: string; action: AuditAction; subject?: string; detail?: object },
): Promise<void> {
  await trx('audit_events').insert({
    subscription_id: event.subscriptionId,
    actor: event.actor,
    action: event.action,
    subject: event.subject ?? null,
    detail: JSON.stringify(event.detail ?? {}),
  })
}
