import type { Logger } from 'pino'
import { listWithOldAuditEvents, pruneAuditEvents } from '../../db/audit/prune-audit-events.ts'
import type { Db } from '../../db/postgres/database.ts'
import { runSteps } from './run-steps.ts'

/** Events of one statement, which locks the chain of the subscription for about 50 ms. */
const STEP_ROWS = 1_000

/** Removes events of audit logs that are older than so many days, in small steps, until none is due or `signal` aborts. */
export async function pruneAuditLogs(
  { db, log, days }: { db: Db; log: Logger; days: number },
  signal: AbortSignal,
): Promise<void> {
  const subscriptions = await listWithOldAuditEvents(db, days)
  await runSteps(
    subscriptions.map((subscriptionId) => async () => {
      const events = await pruneAuditEvents(db, subscriptionId, { days, limit: STEP_ROWS })
      if (events > 0) log.info({ subscriptionId, events }, 'removed old audit events')
      return events === STEP_ROWS
    }),
    signal,
  )
}
