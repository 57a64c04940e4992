import type { Logger } from 'pino'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import { listRestorable, listWaiting, type WaitingDataset } from '../../db/datasets/outbox.ts'
import type { FirstSettlement } from '../../db/monitoring/pipeline-counter.ts'
import type { Db } from '../../db/postgres/database.ts'
import { restoreCapture } from '../capture/extract-capture.ts'
import type { Scored } from './compute-insight.ts'
import type { Deployments } from './deployments.ts'
import type { InFlightBatches } from './in-flight-batches.ts'
import { type Prepared, prepareDataset } from './prepare-dataset.ts'
import { settleBatch } from './settle-batch.ts'
import type { ShortestFirst } from './shortest-first.ts'

/** What processing needs of its process. */
export interface BatchContext {
  readonly db: Db
  readonly deployments: Deployments
  readonly scheduler: ShortestFirst
  readonly inFlight: InFlightBatches
  readonly log: Logger
  /** Hears of each group. */
  readonly onBatch?: (outcome: BatchOutcome) => void
  /** Hears what scorecards said of each dataset that was settled for the first time. */
  readonly onScored?: (subscriptionId: number, scored: readonly Scored[]) => void
  /** Hears of each dataset that was settled for the first time, once that is committed. */
  readonly onSettled?: (settled: FirstSettlement) => void
}

/** What became of the datasets of a group. Those are in no number that somebody else settled meanwhile. */
export interface BatchOutcome {
  readonly ready: number
  readonly invalid: number
  /** They wait on. */
  readonly failed: number
  readonly ms: number
}

/**
 * Processes a group: afterwards each of its datasets that still waited is ready or invalid, counted once.
 *
 * Pure work first, without a lock, then one transaction for all.
 *
 * @param enqueuedAt when their job was added to the queue, if one was.
 * @throws what kept a dataset from being settled; it waits on, for the queue's next attempt or the relay. The others
 * of the group are settled all the same.
 */
export function processBatch(
  context: BatchContext,
  keys: readonly DatasetKey[],
  enqueuedAt?: Date,
): Promise<void> {
  return context.inFlight.afterOverlapping(keys, () => processWaiting(context, keys, enqueuedAt))
}

async function processWaiting(
  context: BatchContext,
  keys: readonly DatasetKey[],
  enqueuedAt: Date | undefined,
): Promise<void> {
  const { db, deployments, scheduler, log } = context
  const startedAt = performance.now()
  const waiting = await listWaiting(db, keys)
  if (waiting.length === 0) return

  const deploying = deployments.find([...new Set(waiting.map(({ subscriptionId }) => subscriptionId))])
  deploying.catch(() => undefined) // awaited below, when all is decoded
  const whole = waiting.filter(hasBlob)
  const kept = whole.length === waiting.length ? [] : await listRestorable(db, waiting)
  const prepared: Prepared[] = kept.map((dataset) => ({ ...dataset, extracted: restoreCapture(dataset) }))
  const failures: unknown[] = []
  for (const [at, dataset] of whole.entries()) {
    await scheduler.next(whole.length - at)
    try {
      prepared.push(prepareDataset(dataset))
    } catch (error) {
      failures.push(error) // our fault, not the data's: it is no reason to call the dataset invalid
    }
  }
  const { ready, invalid, ...unsettled } = await settleBatch(
    db,
    prepared,
    {
      deployments: await deploying,
      restore: deployments.restore,
      onScored: context.onScored,
      onSettled: context.onSettled,
    },
    enqueuedAt,
  )
  const failed = failures.length + unsettled.failed
  failures.push(...unsettled.failures)

  const ms = Math.round(performance.now() - startedAt)
  const outcome = { ready, invalid, failed, ms }
  log.info(outcome, 'batch')
  context.onBatch?.(outcome)
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) throw new AggregateError(failures, `${failed} datasets of a group failed`)
}

const hasBlob = (dataset: WaitingDataset): dataset is WaitingDataset & { readonly blob: Buffer } =>
  dataset.blob !== null
