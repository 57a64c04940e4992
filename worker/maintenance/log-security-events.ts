import { deliverAuditEvents } from '../../db/audit/deliver-audit-events.ts'
import type { WriteSecurityEvent } from '../../db/audit/security-log.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Events of one transaction. */
const STEP_EVENTS = 500

/** Writes the events of audit logs that no worker has written yet to the log, until there are none or `signal` aborts. */
export async function logSecurityEvents(
  { db, write }: { db: Db; write: WriteSecurityEvent },
  signal: AbortSignal,
): Promise<void> {
  let delivered = STEP_EVENTS
  while (delivered === STEP_EVENTS && !signal.aborted)
    delivered = await deliverAuditEvents(db, STEP_EVENTS, (events) => {
      for (const { detail, ...event } of events)
        write({ ...event, reason: typeof detail.reason === 'string' ? detail.reason : undefined })
    })
}
