import type { Actor } from '../../db/audit/actor.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import { claimOverdue } from '../../db/datasets/backlog.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'

/** Overdue datasets that one call enqueues. */
export const MAX_OVERDUE = 5_000

/**
 * Enqueues overdue datasets of a subscription again, and records it in the audit log. A second call within 15 s finds none of them.
 *
 * @returns their number, and whether the queue accepted them; if not, the relay enqueues them once it is available again.
 */
export async function enqueueOverdue(
  { db, producer }: { db: Db; producer: QueueProducer },
  subscriptionId: number,
  actor: Actor,
): Promise<{ datasets: number; heard: boolean }> {
  const ids = await db.transaction(async (trx) => {
    const claimed = await claimOverdue(trx, subscriptionId, MAX_OVERDUE)
    if (claimed.length > 0)
      await recordAudit(trx, {
        subscriptionId,
        actor,
        action: 'dataset.retry',
        detail: { datasets: claimed.length },
      })
    return claimed
  })
  const heard = await producer.tryEnqueue(ids.map((id) => ({ subscriptionId, id })))
  return { datasets: ids.length, heard }
}
