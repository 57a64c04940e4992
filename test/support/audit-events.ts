import type { Db } from '../../db/postgres/database.ts'
import { withoutTriggers } from './without-triggers.ts'

/**
 * Adds many events to the audit log of a subscription in a moment: with their places in its chain, but without the hashes that the database
 * computes at commit.
 *
 * @param owner of the tables.
 * @param at time of the event `i`, counted from `first` (0 by default) in this order, in SQL. `i` is also its subject.
 */
export const addAuditEvents = (
  owner: Db,
  {
    subscriptionId,
    events,
    action,
    at,
    first = 0,
  }: { subscriptionId: number; events: number; action: string; at: string; first?: number },
): Promise<unknown> =>
  withoutTriggers(owner, (trx) =>
    trx.raw(
      `with head as (
         insert into audit_heads as h (subscription_id, seq) values (:subscriptionId, :events)
         on conflict (subscription_id) do update set seq = h.seq + excluded.seq returning seq - :events::bigint as seq
       ), added as (
         insert into audit_events (subscription_id, at, actor, action, subject)
         select :subscriptionId, ${at}, 'retention', :action, i::text from generate_series(:first::int, :first::int + :events::int - 1) i
         returning id, subject
       )
       insert into audit_chain (subscription_id, seq, event_id, hash)
       select :subscriptionId, head.seq + subject::bigint + 1 - :first::int, id, '' from added, head`,
      { subscriptionId, events, action, first },
    ),
  )
