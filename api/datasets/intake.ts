import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import { type Receipt, receiveDatasets, type Upload } from '../../db/datasets/receive-datasets.ts'
import type { PipelineCounter } from '../../db/monitoring/pipeline-counter.ts'
import type { Db } from '../../db/postgres/database.ts'
import { MAX_BATCH_DATASETS } from '../../db/queue/job.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { type Batches, openBatches } from '../batches.ts'
import { openUploadPriority } from './upload-priority.ts'

const MAX_BATCH_BYTES = 8 * 1024 * 1024

/** Receives uploads. Once `add` resolves, the upload is committed, now or earlier, or its receipt rejects it. */
export type Intake = Batches<Upload, Receipt>

/**
 * Opens an intake that commits uploads in batches. After each commit, it enqueues the batch, in one job for each
 * priority of its subscriptions, without waiting for the queue; if that fails, the relay enqueues them later.
 */
export function openIntake({
  db,
  producer,
  counts,
}: {
  db: Db
  producer: QueueProducer
  counts: Pick<PipelineCounter, 'countUpload'>
}): Intake {
  const uploadPriority = openUploadPriority()

  function enqueue(receipts: readonly Receipt[]): void {
    const received = receipts.flatMap((receipt) => (receipt.outcome === 'received' ? [receipt.key] : []))
    for (const [priority, keys] of byPriority(received)) void producer.tryEnqueue(keys, { priority })
  }

  function byPriority(keys: readonly DatasetKey[]): Map<number, DatasetKey[]> {
    const bySubscription = Map.groupBy(keys, ({ subscriptionId }) => subscriptionId)
    const priorities = new Map<number, DatasetKey[]>()
    for (const [subscriptionId, own] of bySubscription) {
      const priority = uploadPriority.priorityOf(subscriptionId, own.length)
      priorities.set(priority, [...(priorities.get(priority) ?? []), ...own])
    }
    return priorities
  }

  return openBatches({
    maxItems: MAX_BATCH_DATASETS,
    maxBytes: MAX_BATCH_BYTES,
    bytesOf: ({ blob }) => blob.length,
    async work(uploads) {
      const receipts = await receiveDatasets(db, uploads)
      enqueue(receipts)
      for (const receipt of receipts)
        if (receipt.outcome === 'received')
          counts.countUpload(receipt.key.subscriptionId, Date.parse(`${receipt.uploadDate}Z`))
      return receipts
    },
  })
}
