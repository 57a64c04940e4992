import { type Receipt, receiveDatasets, type Upload } from '../../db/datasets/receive-datasets.ts'
import type { PipelineCounter } from '../../db/monitoring/pipeline-counter.ts'
import type { Db } from '../../db/postgres/database.ts'
import { MAX_BATCH_DATASETS } from '../../db/queue/job.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { type Batches, openBatches } from '../batches.ts'
import { openEnqueueReceived } from './enqueue-received.ts'

const MAX_BATCH_BYTES = 8 * 1024 * 1024

/** Receives uploads. Once `add` resolves, the upload is committed, now or earlier, or its receipt rejects it. */
export type Intake = Batches<Upload, Receipt>

/** Opens an intake that commits uploads in batches, and enqueues each after its commit. */
export function openIntake({
  db,
  producer,
  counts,
}: {
  db: Db
  producer: QueueProducer
  counts: Pick<PipelineCounter, 'countUpload'>
}): Intake {
  const enqueue = openEnqueueReceived(producer)

  return openBatches({
    maxItems: MAX_BATCH_DATASETS,
    maxBytes: MAX_BATCH_BYTES,
    bytesOf: ({ blob }) => blob.length,
    async work(uploads) {
      const receipts = await receiveDatasets(db, uploads)
      enqueue(receipts.flatMap((receipt) => (receipt.outcome === 'received' ? [receipt.key] : [])))
      for (const receipt of receipts)
        if (receipt.outcome === 'received')
          counts.countUpload(receipt.key.subscriptionId, Date.parse(`${receipt.uploadDate}Z`))
      return receipts
    },
  })
}
