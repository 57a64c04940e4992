import type { Logger } from 'pino'
import { releaseDelayed } from '../../db/datasets/delayed-datasets.ts'
import { claimTimedOut, expireEnqueueTimeouts } from '../../db/datasets/outbox.ts'
import { findOverdue, type OverdueScan, openOverdueScan } from '../../db/datasets/overdue-scan.ts'
import type { Db } from '../../db/postgres/database.ts'
import { MAX_BATCH_DATASETS } from '../../db/queue/job.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'

/** Batches enqueued by one run. */
const MAX_BATCHES = 40

/** Timeouts expired by one statement: it takes 1 s on a busy machine. */
const STEP_ROWS = 10_000

/**
 * Enqueues datasets whose enqueue timeout has expired: their job was never added, or was lost with Redis. When the queue
 * has lost its jobs, the timeouts of all waiting datasets expire at once. Delayed datasets that are due are enqueued too.
 *
 * Checks first that the queue takes jobs, and restarts timeouts only for datasets that it took, so that an unavailable
 * queue does not lengthen the timeouts.
 *
 * @param onRelayed is called with the number of datasets of each batch that was enqueued again.
 * @param scan where to begin, for the next run too; by default at the first waiting dataset.
 */
export async function relayOverdue({
  db,
  producer,
  log,
  scan = openOverdueScan(),
  onRelayed,
}: {
  db: Db
  producer: QueueProducer
  log: Logger
  scan?: OverdueScan
  onRelayed?: (datasets: number) => void
}): Promise<void> {
  if (await producer.hasLostJobs()) {
    let datasets = 0
    for (let step = STEP_ROWS; step === STEP_ROWS; datasets += step)
      step = await expireEnqueueTimeouts(db, STEP_ROWS)
    if (datasets > 0) log.warn({ datasets }, 'the queue is empty; enqueueing all waiting datasets')
  }
  await releaseDelayed(db)
  if (!(await findOverdue(db, scan))) return
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const datasets = await db.transaction(async (trx) => {
      const overdue = await claimTimedOut(trx, MAX_BATCH_DATASETS, scan.since)
      if (overdue.length > 0) await producer.enqueue(overdue)
      return overdue.length
    })
    if (datasets === 0) return
    onRelayed?.(datasets)
    log.info({ datasets }, 'enqueued again')
  }
}
