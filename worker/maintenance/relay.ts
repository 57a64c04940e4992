import type { Logger } from 'pino'
import { claimTimedOut, expireEnqueueTimeouts } from '../../db/datasets/outbox.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'

const GROUP_ROWS = 128

const MAX_GROUPS = 40

/** Patience that is ended in one statement: 1 s on a machine that has much else to do. */
const STEP_ROWS = 10_000

/**
 * Rings again for datasets that waited too long: their job was never added, or got lost with Redis. For a queue that has
 * forgotten its jobs all that waits has waited too long.
 *
 * Looks whether the queue takes jobs first, so that patience is not used up on ringing that cannot be heard; nor is it on
 * ringing that fails.
 */
export async function relayOverdue({
  db,
  producer,
  log,
}: {
  db: Db
  producer: QueueProducer
  log: Logger
}): Promise<void> {
  if (await producer.hasForgotten()) {
    let datasets = 0
    for (let step = STEP_ROWS; step === STEP_ROWS; datasets += step)
      step = await expireEnqueueTimeouts(db, STEP_ROWS)
    if (datasets > 0) log.warn({ datasets }, 'the queue is empty; ringing for all that waits')
  }
  for (let group = 0; group < MAX_GROUPS; group++) {
    const datasets = await db.transaction(async (trx) => {
      const overdue = await claimTimedOut(trx, GROUP_ROWS)
      if (overdue.length > 0) await producer.enqueue(overdue)
      return overdue.length
    })
    if (datasets === 0) return
    log.info({ datasets }, 'rang again')
  }
}
