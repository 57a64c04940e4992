import type { SpanContext } from '@opentelemetry/api'
import type { Platform } from '../../db/capture/capture.ts'
import { type DatasetKey, keyText } from '../../db/datasets/dataset-key.ts'
import { listRestorable, listWaiting, type WaitingDataset } from '../../db/datasets/outbox.ts'
import { isStoreUnavailable } from '../../db/encryption/object-store-error.ts'
import { openAddress } from '../../db/encryption/personal-data.ts'
import type { Vault } from '../../db/encryption/vault.ts'
import { type EnqueuedDataset, QUEUE_NAME } from '../../db/queue/job.ts'
import { SpanKind } from '../../db/runtime/tracing/api.ts'
import { type Traces, traced, tracedBatch, tracesOf, withTrace } from '../../db/runtime/tracing/traced.ts'
import { restoreCapture } from '../capture/extract-capture.ts'
import { assembleDatasets } from '../collections/assemble-datasets.ts'
import type { BatchContext } from './batch-context.ts'
import { openAhead } from './open-ahead.ts'
import { type OpenedDataset, type Prepared, prepareDataset } from './prepare-dataset.ts'
import { settleBatch } from './settle-batch.ts'

/** Datasets that are read from object storage while one is decoded. */
const OPENED_AHEAD = 16

/**
 * Processes a batch: afterwards each of its datasets that still waited is ready or invalid, and counted once.
 *
 * Decodes and extracts without a lock first, then settles all datasets in one transaction.
 *
 * @param enqueuedAt when their job was added to the queue; undefined without a job.
 * @throws the error that kept a dataset from being settled. It still waits, for the next attempt of the job or the
 * relay; the other datasets of the batch are settled.
 */
export function processBatch(
  context: BatchContext,
  keys: readonly EnqueuedDataset[],
  enqueuedAt?: Date,
): Promise<void> {
  const process = () =>
    tracedBatch('process batch', tracesOf(keys), (batch) => processTraced(context, keys, enqueuedAt, batch))
  return context.inFlight.afterOverlapping(keys, process)
}

/** Processes a batch in a span of each sampled dataset, which are linked to that of the batch. @throws as `processBatch`. */
async function processTraced(
  context: BatchContext,
  keys: readonly EnqueuedDataset[],
  enqueuedAt: Date | undefined,
  batch: SpanContext | undefined,
): Promise<void> {
  const { failed, failures } = await traced(
    `process ${QUEUE_NAME}`,
    tracesOf(keys),
    (spans) => processWaiting(context, keys, enqueuedAt, spans),
    batch && { ...PROCESSING, links: [{ context: batch }] },
  )
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, `${failed} datasets of a batch failed`)
}

/** @see https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/ */
const PROCESSING = {
  kind: SpanKind.CONSUMER,
  attributes: {
    'messaging.system': 'bullmq',
    'messaging.operation.type': 'process',
    'messaging.destination.name': QUEUE_NAME,
  },
}

/** The datasets that were not settled, and the errors that kept them from it: not thrown, since they would mark the spans of all datasets as failed. */
interface Failed {
  readonly failed: number
  readonly failures: readonly unknown[]
}

async function processWaiting(
  context: BatchContext,
  keys: readonly EnqueuedDataset[],
  enqueuedAt: Date | undefined,
  spans: Traces,
): Promise<Failed> {
  const { db, vault, deployments, firstRuns, scheduler, log, observer } = context
  const startedAt = performance.now()
  const { waiting, failures } = await listAssembled(context, keys)
  if (waiting.length === 0) return { failed: 0, failures: [] }

  const spanOf = openSpanOf(keys, spans)
  const deploying = deployments.find([...new Set(waiting.map(({ subscriptionId }) => subscriptionId))])
  deploying.catch(() => undefined) // awaited below, after decoding
  const withBlob = waiting.filter(hasBlob)
  const restorable = withBlob.length === waiting.length ? [] : await listRestorable(db, waiting)
  const prepared: Prepared[] = restorable.map((dataset) => ({
    ...dataset,
    trace: spanOf(dataset),
    extracted: restoreCapture(dataset),
  }))
  const openNext = openAhead(withBlob, OPENED_AHEAD, async (dataset) =>
    withTrace(await openDataset(vault, dataset), spanOf(dataset)),
  )
  for (const at of withBlob.keys()) {
    await scheduler.next(withBlob.length - at)
    try {
      prepared.push(prepareDataset(await openNext()))
    } catch (error) {
      failures.push(error) // our defect or a missing key, not the data's: no reason to call the dataset invalid
      if (isStoreUnavailable(error)) break // the others would wait for the same store
    }
  }
  const settled = await firstRuns.during(await deploying, platformsOf(prepared), (deployed) =>
    settleBatch(context, prepared, deployed, enqueuedAt),
  )
  const failed = failures.length + settled.failed
  failures.push(...settled.failures)

  const ms = Math.round(performance.now() - startedAt)
  const outcome = { ready: settled.ready, invalid: settled.invalid, failed, ms }
  log.info(outcome, 'batch')
  observer.onBatch?.(outcome)
  return { failed, failures }
}

/** Finds the span of a dataset, of those of the sampled ones in their order. */
function openSpanOf(
  keys: readonly EnqueuedDataset[],
  spans: Traces,
): (key: DatasetKey) => SpanContext | undefined {
  if (spans.length === 0) return () => undefined
  const names = keys.filter(({ trace }) => trace).map(keyText)
  const byName = new Map(names.map((name, at) => [name, spans[at]]))
  return (key) => byName.get(keyText(key))
}

const platformsOf = (prepared: readonly Prepared[]): ReadonlySet<Platform> =>
  new Set(prepared.flatMap((one) => ('extracted' in one ? [one.extracted.platform] : [])))

/** Lists those of the datasets that still wait; those that browsers collected are assembled first. */
async function listAssembled(
  { db, vault }: BatchContext,
  keys: readonly DatasetKey[],
): Promise<{ waiting: WaitingDataset[]; failures: unknown[] }> {
  const waiting = await listWaiting(db, keys)
  const collected = waiting.filter(({ blob, collectionId }) => blob === null && collectionId !== null)
  if (collected.length === 0) return { waiting, failures: [] }
  const failures = await assembleDatasets(db, collected, vault)
  return { waiting: await listWaiting(db, keys), failures }
}

type WithBlob = WaitingDataset & { readonly blob: Buffer }

const hasBlob = (dataset: WaitingDataset): dataset is WithBlob => dataset.blob !== null

/** Decrypts a dataset, read from object storage if it is there. @throws DataKeyError, ObjectStoreError */
async function openDataset(vault: Vault, dataset: WithBlob): Promise<OpenedDataset> {
  const { subscriptionId, id, name, uploadedAt } = dataset
  const blob = await vault.open({ subscriptionId, kind: 'capture', name }, dataset.blob)
  const realIp = await openAddress(vault, { subscriptionId, name }, dataset)
  return { subscriptionId, id, blob, realIp, uploadedAt }
}
