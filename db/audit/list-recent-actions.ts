import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'
import type { AuditEvent } from './list-audit-events.ts'

/** Something that an operator or the service itself did, without its subject, which may name a person. */
export interface RecentAction extends Pick<AuditEvent, 'action' | 'outcome'> {
  readonly subscriptionId: number
  readonly at: Date
  /** As in `operator ann`. */
  readonly actor: string
  /** How many datasets it concerned, where the event has a number of them. */
  readonly datasets: number | null
}

/**
 * Lists up to `limit` events of operators and of the service, newest first, among the newest `depth` events of each of these subscriptions.
 *
 * Reads `depth` events of each subscription at most, by their keys.
 */
export async function listRecentActions(
  db: Db,
  subscriptionIds: readonly number[],
  { depth, limit }: { depth: number; limit: number },
): Promise<RecentAction[]> {
  return queryRows(
    db,
    sql`select e.subscription_id as "subscriptionId", e.at, e.actor, e.action, e.outcome,
               case when jsonb_typeof(e.detail -> 'datasets') = 'number' then (e.detail ->> 'datasets')::float end as datasets
        from unnest(${subscriptionIds}::integer[]) k (subscription_id)
        cross join lateral (
          select event_id from audit_chain c where c.subscription_id = k.subscription_id order by c.seq desc limit ${depth}
        ) newest
        -- by the primary key, whatever Postgres estimates
        cross join lateral (
          select * from audit_events e where e.subscription_id = k.subscription_id and e.id = newest.event_id limit 1
        ) e
        where e.actor_kind in ('operator', 'service') order by e.at desc, e.id desc limit ${limit}`,
  )
}
