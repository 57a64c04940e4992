import { type Db, queryRows } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'
import { type Actor, actorText } from './actor.ts'
import { ACTOR_COLUMNS } from './actor-columns.ts'
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
  /** The present by default. */
  readonly at?: Date | undefined
}

/** Records an event in the audit log; call it in the transaction of the change. */
export const recordAudit = (trx: Db, event: NewAuditEvent): Promise<void> => recordAuditEvents(trx, [event])

/**
 * Records events in the audit log. An event older than 50 s gets that age: lists expect times to rise along the chain, to the minute.
 *
 * At commit, the database chains each event to the one before, which locks the subscription's chain; so events of several
 * subscriptions are in order of subscription, and concurrent calls do not deadlock.
 */
export async function recordAuditEvents(trx: Db, events: readonly NewAuditEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events
    .toSorted((a, b) => a.subscriptionId - b.subscriptionId)
    .map(({ subscriptionId, actor, action, subject, detail, outcome, at }) => [
      ...[subscriptionId, at?.toISOString() ?? null, actorText(actor), actor.kind, actor.id],
      ...[actor.address ?? null, action, subject ?? null, JSON.stringify(detail ?? {}), outcome ?? 'success'],
    ])
  await queryRows(
    trx,
    sql`insert into audit_events (subscription_id, at, ${ACTOR_COLUMNS}, address, action, subject, detail, outcome)
        select subscription_id, coalesce(greatest(at, now() - interval '50 seconds'), now()), actor, actor_kind, actor_id, address, action, subject,
               detail, outcome
        from (values ${valueRows(COLUMN_TYPES, rows)}) e
          (subscription_id, at, actor, actor_kind, actor_id, address, action, subject, detail, outcome)`,
  )
}

const COLUMN_TYPES = [
  ...['integer', 'timestamptz', 'text', 'text', 'bigint'],
  ...['text', 'text', 'text', 'jsonb', 'text'],
]
