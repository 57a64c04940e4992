import type { Logger } from 'pino'
import { pruneAuditEvents } from '../../db/audit/prune-audit-events.ts'
import { listAudited } from '../../db/audit/verify-audit.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Events of one statement, which locks the chain of the subscription for about 50 ms. */
const STEP_ROWS = 1_000

/** Removes events of audit logs that are older than so many days, one step of each subscription. */
export async function pruneAuditLogs(
  { db, log, days }: { db: Db; log: Logger; days: number },
  signal: AbortSignal,
): Promise<void> {
  for (const subscriptionId of await listAudited(db)) {
    if (signal.aborted) return
    const events = await pruneAuditEvents(db, subscriptionId, { days, limit: STEP_ROWS })
    if (events > 0) log.info({ subscriptionId, events }, 'removed old audit events')
  }
}
