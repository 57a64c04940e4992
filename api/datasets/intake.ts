import { delayDataset } from '../../db/datasets/delayed-datasets.ts'
import {
  findReceipts,
  type Receipt,
  receiveDatasets,
  type StoredUpload,
  type Upload,
} from '../../db/datasets/receive-datasets.ts'
import { readReference } from '../../db/encryption/capture-reference.ts'
import { sealPersonal } from '../../db/encryption/personal-data.ts'
import { PLAIN_VAULT, type Vault } from '../../db/encryption/vault.ts'
import type { PipelineCounter } from '../../db/monitoring/pipeline-counter.ts'
import { discardCaptures } from '../../db/object-store/orphans.ts'
import type { Db } from '../../db/postgres/database.ts'
import { MAX_BATCH_DATASETS } from '../../db/queue/job.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { activeTrace, tracedBatch, tracesOf, withTrace } from '../../db/runtime/tracing/traced.ts'
import { type Batches, openBatches } from '../batches.ts'
import type { WebMetrics } from '../metrics/web-metrics.ts'
import { openEnqueueReceived } from './enqueue-received.ts'

const MAX_BATCH_BYTES = 8 * 1024 * 1024

/** Receives uploads. Once `add` resolves, the upload is committed, now or earlier, or its receipt rejects it. */
export interface Intake extends Batches<Upload, Receipt> {
  /** Returns the receipt of a repeated upload, without storing anything; undefined if its number has no dataset. */
  find(upload: RepeatedUpload): Promise<Receipt | undefined>
  /** Receives an upload that nothing processes for some seconds; it shares no commit. */
  addLater(upload: Upload, seconds: number): Promise<Receipt>
}

type RepeatedUpload = Pick<Upload, 'subscriptionId' | 'referenceNumber' | 'dataHash'>

/** Opens an intake that encrypts uploads, commits them in batches, and enqueues each after its commit. */
export function openIntake({
  db,
  producer,
  counts,
  metrics,
  vault = PLAIN_VAULT,
}: {
  db: Db
  producer: QueueProducer
  counts: Pick<PipelineCounter, 'countUpload'>
  metrics?: Pick<WebMetrics, 'countCommit'> | undefined
  vault?: Vault
}): Intake {
  const enqueue = openEnqueueReceived(producer)

  const batches = openBatches({
    maxItems: MAX_BATCH_DATASETS,
    maxBytes: MAX_BATCH_BYTES,
    bytesOf: ({ blob }: StoredUpload) => blob.length,
    async work(uploads: readonly StoredUpload[]) {
      const startedAt = performance.now()
      const receipts = await tracedBatch('commit uploads', tracesOf(uploads), () =>
        receiveDatasets(db, uploads),
      )
      metrics?.countCommit(uploads.length, (performance.now() - startedAt) / 1_000)
      enqueue(
        receipts.flatMap((receipt, at) =>
          receipt.outcome === 'received' ? [withTrace(receipt.key, uploads[at]?.trace)] : [],
        ),
      )
      for (const receipt of receipts)
        if (receipt.outcome === 'received')
          counts.countUpload(receipt.key.subscriptionId, Date.parse(`${receipt.uploadDate}Z`))
      return receipts
    },
  })
  const lookups = openBatches({
    maxItems: MAX_BATCH_DATASETS,
    work: (uploads: readonly RepeatedUpload[]) => findReceipts(db, uploads),
  })
  async function receive(
    upload: Upload,
    store: (stored: StoredUpload) => Promise<Receipt>,
  ): Promise<Receipt> {
    const stored = withTrace(await sealUpload(vault, upload), activeTrace())
    const receipt = await store(stored)
    const written = readReference(stored.blob)
    if (written && receipt.outcome !== 'received')
      await discardCaptures(db, upload.subscriptionId, [written.id])
    return receipt
  }
  return {
    add: (upload) => receive(upload, batches.add),
    addLater: (upload, seconds) => receive(upload, (stored) => receiveLater(db, stored, seconds)),
    find: (upload) => lookups.add(upload),
  }
}

const receiveLater = (db: Db, upload: StoredUpload, seconds: number): Promise<Receipt> =>
  db.transaction(async (trx) => {
    const [receipt] = await receiveDatasets(trx, [upload])
    if (!receipt) throw new Error('An upload has no receipt')
    if (receipt.outcome === 'received') await delayDataset(trx, receipt.key, seconds)
    return receipt
  })

/** Seals what an upload has of a person. */
async function sealUpload(vault: Vault, upload: Upload): Promise<StoredUpload> {
  const { subscriptionId, referenceNumber: name } = upload
  const { additionalInfo, realIp } = upload
  const personal = await sealPersonal(vault, { subscriptionId, name }, additionalInfo, realIp)
  return {
    ...upload,
    blob: await vault.sealBlob({ subscriptionId, kind: 'capture', name }, upload.blob),
    additionalInfo: personal.additionalInfo,
    sealedInfo: personal.sealedInfo,
    realIp: personal.address,
  }
}
