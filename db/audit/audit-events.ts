import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import type { Actor } from './actor.ts'
import { ACTOR_COLUMNS, actorValues } from './actor-columns.ts'
import type { AuditAction } from './audit-actions.ts'

/** Outcomes of an event: `denied` is a request that was rejected, `failure` one that was attempted and failed. */
export const AUDIT_OUTCOMES = ['success', 'failure', 'denied'] as const

/** An event to record. */
export interface NewAuditEvent {
  readonly subscriptionId: number
  readonly actor: Actor
  readonly action: AuditAction
  readonly subject?: string | undefined
  readonly detail?: object | undefined
  /** `success` by default. */
  readonly outcome?: (typeof AUDIT_OUTCOMES)[number] | undefined
}

/** Records an event in the audit log; call it in the transaction of the change. */
export async function recordAudit(trx: Db, event: NewAuditEvent): Promise<void> {
  const { subscriptionId, actor, action, subject, detail, outcome } = event
  await queryRows(
    trx,
    sql`insert into audit_events (subscription_id, ${ACTOR_COLUMNS}, address, action, subject, detail, outcome)
        values (${subscriptionId}, ${actorValues(actor)}, ${actor.address ?? null}, ${action}, ${subject ?? null},
                ${JSON.stringify(detail ?? {})}, ${outcome ?? 'success'})`,
  )
}
