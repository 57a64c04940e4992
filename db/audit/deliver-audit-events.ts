import { type Db, queryRows, utcText } from '../postgres/database.ts'
import { raw, sql } from '../postgres/sql.ts'
import { AUDIT_EVENT_ID } from './audit-event-id.ts'
import type { AuditEvent } from './list-audit-events.ts'
import { addSecurityEventCounts } from './security-event-counts.ts'

/** An event with its place in the chain of its subscription. */
export interface ChainedEvent extends AuditEvent {
  readonly subscriptionId: number
  readonly seq: number
  /** Hash of its entry in the chain, in hexadecimal. */
  readonly hash: string
}

/** Spells AUDI; any number that no other lock of this database uses. */
const ADVISORY_LOCK = raw('1096107081')

/**
 * Passes up to `limit` events that were not delivered before to `deliver`, in the order of each subscription's chain, and counts
 * them. An event is delivered again if the process ends, or Postgres is lost, before the transaction commits.
 *
 * One process at a time: of concurrent calls, the others deliver nothing.
 *
 * @returns how many were delivered.
 */
export async function deliverAuditEvents(
  db: Db,
  limit: number,
  deliver: (events: readonly ChainedEvent[]) => void,
): Promise<number> {
  return db.transaction(async (trx) => {
    const [lock] = await queryRows<{ taken: boolean }>(
      trx,
      sql`select pg_try_advisory_xact_lock(${ADVISORY_LOCK}) as taken`,
    )
    if (!lock?.taken) return 0
    const events = await queryRows<ChainedEvent>(
      trx,
      sql`select c.subscription_id as "subscriptionId", c.seq, encode(c.hash, 'hex') as hash, ${AUDIT_EVENT_ID} as id, ${utcText('e.at')} as at,
                 e.actor, e.actor_kind as "actorKind", e.actor_id as "actorId", e.address, e.action, e.subject, e.detail, e.outcome
          from audit_heads h
          left join audit_deliveries d using (subscription_id)
          cross join lateral (
            select * from audit_chain
            where subscription_id = h.subscription_id and seq > coalesce(d.seq, 0) order by seq limit ${limit}
          ) c
          join audit_events e on e.subscription_id = c.subscription_id and e.id = c.event_id
          where h.seq > coalesce(d.seq, 0)
          order by c.subscription_id, c.seq limit ${limit}`,
    )
    if (events.length === 0) return 0
    deliver(events)
    const last = new Map(events.map(({ subscriptionId, seq }) => [subscriptionId, seq]))
    await queryRows(
      trx,
      sql`insert into audit_deliveries (subscription_id, seq)
          select * from unnest(${[...last.keys()]}::integer[], ${[...last.values()]}::bigint[])
          on conflict (subscription_id) do update set seq = excluded.seq`,
    )
    await addSecurityEventCounts(
      trx,
      events.map(({ action, outcome, detail }) => ({
        ...{ event: action, outcome, events: 1 },
        reason: typeof detail.reason === 'string' && action.endsWith('.login') ? detail.reason : '',
      })),
    )
    return events.length
  })
}
