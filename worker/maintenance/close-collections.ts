import type { Logger } from 'pino'
import { closeDueCollections } from '../../db/collections/close-due.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'

/** Collections of one transaction, no more than a job has datasets. */
const STEP_ROWS = 100

/** Steps of one run. */
const MAX_STEPS = 50

/** Closes collections that their browsers have abandoned: they become datasets, which are enqueued, or are erased. */
export async function closeCollections(
  {
    db,
    producer,
    log,
    onClosed,
  }: {
    db: Db
    producer: Pick<QueueProducer, 'tryEnqueue'>
    log: Logger
    onClosed?: (closed: { readonly datasets: number; readonly erased: number }) => void
  },
  signal: AbortSignal,
): Promise<void> {
  const closed = { datasets: 0, erased: 0 }
  for (let step = 0; step < MAX_STEPS && !signal.aborted; step++) {
    const { checked, erased, datasets } = await closeDueCollections(db, STEP_ROWS)
    if (datasets.length > 0) await producer.tryEnqueue(datasets)
    closed.datasets += datasets.length
    closed.erased += erased
    if (checked < STEP_ROWS) break
  }
  onClosed?.(closed)
  if (closed.datasets + closed.erased > 0) log.info(closed, 'closed abandoned collections')
}
