import { setTimeout as delay } from 'node:timers/promises'
import type { Actor } from '../../db/audit/actor.ts'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import type { DatasetSelection } from '../../db/datasets/datasets.ts'
import { listInOutbox, listSelected, requeueDatasets } from '../../db/datasets/requeue-datasets.ts'
import type { Db } from '../../db/postgres/database.ts'
import { MAX_BATCH_DATASETS } from '../../db/queue/job.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { startProgress } from '../cli/progress.ts'

const PAGE_ROWS = 10_000

/** Datasets in flight at once: enough for many workers, few enough not to delay uploads. */
const MAX_UNSETTLED = 20 * MAX_BATCH_DATASETS

const POLL_MS = 200

/** Outcome of reprocessing datasets. */
export interface Reprocessed {
  readonly requeued: number
  /** Selected, but retention has removed their data. */
  readonly withoutData: number
  /** Number of them that were processed; only with `wait`. */
  readonly processed?: number
  /** Set when the command was stopped: requeued datasets are still processed, the others are unchanged. */
  readonly interrupted?: true
}

/**
 * Requeues datasets and, with `wait`, waits until they are processed, with a progress bar on `stderr`.
 *
 * @param stop ends it after the current batch.
 */
export async function reprocess(
  {
    db,
    producer,
    actor,
    stderr,
  }: { db: Db; producer: QueueProducer; actor: Actor; stderr: NodeJS.WritableStream },
  subscriptionId: number,
  selection: DatasetSelection,
  { wait, stop }: { wait: boolean; stop: AbortSignal },
): Promise<Reprocessed> {
  const { ids, withoutData } = await collect(db, subscriptionId, selection)
  const batches = Array.from({ length: Math.ceil(ids.length / MAX_BATCH_DATASETS) }, (_, n) =>
    ids.slice(n * MAX_BATCH_DATASETS, (n + 1) * MAX_BATCH_DATASETS).map((id) => ({ subscriptionId, id })),
  )
  const progress = wait && ids.length > 0 ? startProgress('processed', ids.length, stderr) : undefined
  let requeued = 0
  let skipped = 0
  let unsettled: DatasetKey[] = []
  let enqueuing = true
  const poll = async () => {
    unsettled = await listInOutbox(db, unsettled)
    progress?.update(requeued + skipped - unsettled.length)
  }

  for (const batch of batches) {
    if (stop.aborted) break
    const keys = await requeueDatasets(db, batch, actor)
    requeued += keys.length
    skipped += batch.length - keys.length // deleted since they were listed
    // after a first failure the relay enqueues the rest, so that no batch waits for an unavailable queue again
    if (enqueuing) enqueuing = await producer.tryEnqueue(keys)
    if (!wait) continue
    unsettled.push(...keys)
    await poll()
    while (unsettled.length > MAX_UNSETTLED - MAX_BATCH_DATASETS && !stop.aborted) {
      await delay(POLL_MS)
      await poll()
    }
  }
  while (unsettled.length > 0 && !stop.aborted) {
    await delay(POLL_MS)
    await poll()
  }
  if (stop.aborted) progress?.abandon()
  else progress?.finish()
  return {
    requeued,
    withoutData,
    ...(wait && { processed: requeued - unsettled.length }),
    ...(stop.aborted && { interrupted: true }),
  }
}

async function collect(db: Db, subscriptionId: number, selection: DatasetSelection) {
  const ids: number[] = []
  let withoutData = 0
  for (let afterId: number | null = 0; afterId !== null; ) {
    const page = await listSelected(db, subscriptionId, selection, { afterId, limit: PAGE_ROWS })
    for (const id of page.ids) ids.push(id)
    withoutData += page.withoutData
    afterId = page.afterId
  }
  return { ids, withoutData }
}
