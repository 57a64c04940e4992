import { type Db, queryRows } from '../postgres/database.ts'
import { sql, valueRows } from '../postgres/sql.ts'

/** How many security events of a kind there were since the first one. */
export interface SecurityEventCount {
  /** An action of `AUDIT_ACTIONS`. */
  readonly event: string
  readonly outcome: string
  /** Why a sign-in was not successful; empty for other events. */
  readonly reason: string
  readonly events: number
}

/** Adds to the counts. Rows are in order of their keys, so that concurrent calls do not deadlock. */
export async function addSecurityEventCounts(db: Db, counts: readonly SecurityEventCount[]): Promise<void> {
  if (counts.length === 0) return
  const rows = valueRows(
    ['text', 'text', 'text', 'bigint'],
    counts.map(({ event, outcome, reason, events }) => [event, outcome, reason, events]),
  )
  await queryRows(
    db,
    sql`insert into security_event_counts as c (event, outcome, reason, events)
        select event, outcome, reason, sum(events) from (values ${rows}) v (event, outcome, reason, events)
        group by 1, 2, 3 order by 1, 2, 3
        on conflict (event, outcome, reason) do update set events = c.events + excluded.events`,
  )
}

export async function listSecurityEventCounts(db: Db): Promise<SecurityEventCount[]> {
  return queryRows(db, sql`select event, outcome, reason, events from security_event_counts`)
}
