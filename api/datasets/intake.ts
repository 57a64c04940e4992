import type { Logger } from 'pino'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import { type Receipt, receiveDatasets, type Upload } from '../../db/datasets/receive-datasets.ts'
import type { GatheredCounts } from '../../db/monitoring/gather-pipeline-counts.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { logErrors } from '../../db/runtime/log.ts'
import { type Batches, openBatches } from '../batches.ts'
import { openPrecedence } from './precedence.ts'

/** Uploads committed together at most; a job carries as many datasets. */
const MAX_GROUP_ROWS = 128
const MAX_GROUP_BYTES = 8 * 1024 * 1024

/** Takes uploads in; once `add` resolves, the upload is committed, or was before, or is refused by its receipt. */
export type Intake = Batches<Upload, Receipt>

/**
 * Opens an intake that commits uploads in groups. After each commit one job for the group rings for workers, or one
 * for each rank that its subscriptions have; if that fails, the relay rings later.
 */
export function openIntake({
  db,
  producer,
  log,
  counts,
}: {
  db: Db
  producer: QueueProducer
  log: Logger
  counts: Pick<GatheredCounts, 'countUpload'>
}): Intake {
  const onEnqueueError = logErrors(log, 'could not ring; the relay will')
  const precedence = openPrecedence()

  function ring(receipts: readonly Receipt[]): void {
    const fresh = receipts.flatMap((receipt) => (receipt.outcome === 'received' ? [receipt.key] : []))
    for (const [rank, keys] of byRank(fresh)) producer.enqueue(keys, { rank }).catch(onEnqueueError)
  }

  function byRank(keys: readonly DatasetKey[]): Map<number, DatasetKey[]> {
    const bySubscription = Map.groupBy(keys, ({ subscriptionId }) => subscriptionId)
    const ranks = new Map<number, DatasetKey[]>()
    for (const [subscriptionId, own] of bySubscription) {
      const rank = precedence.rankOf(subscriptionId, own.length)
      ranks.set(rank, [...(ranks.get(rank) ?? []), ...own])
    }
    return ranks
  }

  return openBatches({
    maxItems: MAX_GROUP_ROWS,
    maxBytes: MAX_GROUP_BYTES,
    bytesOf: ({ blob }) => blob.length,
    async work(uploads) {
      const receipts = await receiveDatasets(db, uploads)
      ring(receipts)
      for (const receipt of receipts)
        if (receipt.outcome === 'received')
          counts.countUpload(receipt.key.subscriptionId, Date.parse(`${receipt.uploadDate}Z`))
      return receipts
    },
  })
}
