import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

/** Lists the subscriptions whose oldest event may be deleted, as by `pruneAuditEvents`: one probe of each. */
export async function listWithOldAuditEvents(db: Db, days: number): Promise<number[]> {
  const rows = await queryRows<{ id: number }>(
    db,
    sql`select h.subscription_id as id from audit_heads h
        cross join lateral (
          select event_id from audit_chain where subscription_id = h.subscription_id and seq = h.pruned_seq + 1 limit 1
        ) c
        cross join lateral (
          select at from audit_events where subscription_id = h.subscription_id and id = c.event_id limit 1
        ) e
        where e.at < least(now() - make_interval(days => ${days}), now() - interval '1 year') order by 1`,
  )
  return rows.map(({ id }) => id)
}

/**
 * Deletes up to `limit` of the oldest events of a subscription's audit log that are older than so many days, and never one of the
 * last year. The chain of the others stays verifiable: its head keeps the hash of the newest deleted entry.
 *
 * @returns how many it deleted; events behind one that is missing stay.
 */
export async function pruneAuditEvents(
  db: Db,
  subscriptionId: number,
  { days, limit }: { days: number; limit: number },
): Promise<number> {
  const [row] = await queryRows<{ pruned: number }>(
    db,
    sql`select prune_audit_events(${subscriptionId}, now() - make_interval(days => ${days}), ${limit}) as pruned`,
  )
  return row?.pruned ?? 0
}
