import { setTimeout as delay } from 'node:timers/promises'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import type { DatasetSelection } from '../../db/datasets/datasets.ts'
import { listSelected, listUnsettled, requeueDatasets } from '../../db/datasets/requeue-datasets.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { startProgress } from '../cli/progress.ts'

const PAGE_ROWS = 10_000

/** Datasets per job, as for uploads. */
const GROUP_ROWS = 128

/** Datasets in flight: enough for many workers, few enough not to delay concurrent uploads. */
const MAX_UNSETTLED = 20 * GROUP_ROWS

const LOOK_AGAIN_MS = 200

/** The result of reprocessing. */
export interface Reprocessed {
  readonly requeued: number
  /** Selected, but retention has deleted their capture. */
  readonly withoutData: number
  /** Datasets processed; only with `wait`. */
  readonly processed?: number
  /** Set if it was interrupted: requeued datasets are still processed, the others are unchanged. */
  readonly interrupted?: true
}

/**
 * Requeues datasets and, with `wait`, shows progress on stderr until they are processed.
 *
 * @param stop ends it after the group that it is at.
 */
export async function reprocess(
  { db, producer, actor }: { db: Db; producer: QueueProducer; actor: string },
  subscriptionId: number,
  selection: DatasetSelection,
  { wait, stop }: { wait: boolean; stop: AbortSignal },
): Promise<Reprocessed> {
  const { ids, withoutData } = await collect(db, subscriptionId, selection)
  const groups = Array.from({ length: Math.ceil(ids.length / GROUP_ROWS) }, (_, n) =>
    ids.slice(n * GROUP_ROWS, (n + 1) * GROUP_ROWS).map((id) => ({ subscriptionId, id })),
  )
  const progress = wait && ids.length > 0 ? startProgress('processed', ids.length) : undefined
  let requeued = 0
  let skipped = 0
  let unsettled: DatasetKey[] = []
  let heard = true
  const look = async () => {
    unsettled = await listUnsettled(db, unsettled)
    progress?.update(requeued + skipped - unsettled.length)
  }

  for (const group of groups) {
    if (stop.aborted) break
    const keys = await requeueDatasets(db, group, actor)
    requeued += keys.length
    skipped += group.length - keys.length // deleted since they were listed
    // they wait already: where the queue is away, the relay rings for them
    if (heard)
      heard = await producer.enqueue(keys).then(
        () => true,
        () => false,
      )
    if (!wait) continue
    unsettled.push(...keys)
    await look()
    while (unsettled.length > MAX_UNSETTLED - GROUP_ROWS && !stop.aborted) {
      await delay(LOOK_AGAIN_MS)
      await look()
    }
  }
  while (unsettled.length > 0 && !stop.aborted) {
    await delay(LOOK_AGAIN_MS)
    await look()
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
