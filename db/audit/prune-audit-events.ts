import { type Db, queryRows } from '../postgres/database.ts'
import { sql } from '../postgres/sql.ts'

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
