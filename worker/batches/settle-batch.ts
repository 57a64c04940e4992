import { saveInsights } from '../../db/datasets/insights.ts'
import { settleDatasets } from '../../db/datasets/outbox.ts'
import { findKnownKeys } from '../../db/datasets/velocity-keys.ts'
import { isTransientDatabaseError } from '../../db/postgres/database-errors.ts'
import { traced, tracesOf } from '../../db/runtime/tracing/traced.ts'
import type { BatchContext, BatchObserver } from './batch-context.ts'
import { claimBatch } from './claim-batch.ts'
import { type ClaimedCapture, type ComputedBatch, computeBatch } from './compute-batch.ts'
import type { Deployment } from './deployments.ts'
import type { Prepared } from './prepare-dataset.ts'

/** How many datasets were settled. Datasets that another worker settled meanwhile count nowhere. */
interface Settled {
  readonly ready: number
  readonly invalid: number
  /** They still wait. */
  readonly failed: number
  /** The errors that kept them from being settled. */
  readonly failures: readonly unknown[]
}

/**
 * Settles prepared datasets in one transaction. If it fails, each half is settled in a transaction of its own, and so on,
 * until only the datasets that cause the error remain unsettled.
 *
 * @param deployed by subscription, as of one moment, so that a batch never mixes two versions.
 * @param enqueuedAt when their job was added to the queue; undefined without a job.
 */
export async function settleBatch(
  context: BatchContext,
  prepared: readonly Prepared[],
  deployed: ReadonlyMap<number, Deployment>,
  enqueuedAt: Date | undefined,
): Promise<Settled> {
  if (prepared.length === 0) return { ready: 0, invalid: 0, failed: 0, failures: [] }
  try {
    return { ...(await settle(context, prepared, deployed, enqueuedAt)), failed: 0, failures: [] }
  } catch (error) {
    if (prepared.length === 1 || isTransientDatabaseError(error))
      return { ready: 0, invalid: 0, failed: prepared.length, failures: [error] }
    const middle = prepared.length >> 1
    const left = await settleBatch(context, prepared.slice(0, middle), deployed, enqueuedAt)
    const right = await settleBatch(context, prepared.slice(middle), deployed, enqueuedAt)
    return {
      ready: left.ready + right.ready,
      invalid: left.invalid + right.invalid,
      failed: left.failed + right.failed,
      failures: [...left.failures, ...right.failures],
    }
  }
}

/** Claims, computes and writes in one transaction, then calls the observer. */
async function settle(
  { db, deployments, vault, observer }: BatchContext,
  prepared: readonly Prepared[],
  deployed: ReadonlyMap<number, Deployment>,
  enqueuedAt: Date | undefined,
): Promise<Pick<Settled, 'ready' | 'invalid'>> {
  const known = await findKnownKeys(vault, new Set(prepared.map(({ subscriptionId }) => subscriptionId)))
  let begunAt = 0
  const { claimed, computed } = await traced('settle', tracesOf(prepared), (spans) =>
    db.transaction(async (trx) => {
      begunAt = performance.now()
      const claimed = await traced('velocity', spans, () =>
        claimBatch(trx, prepared, deployed, { deployments, vault, known }),
      )
      const computed = traced('scores', spans, () => computeBatch(claimed))
      await traced('save', spans, () =>
        Promise.all([
          saveInsights(trx, computed.insights),
          settleDatasets(trx, computed.settlements, enqueuedAt),
        ]),
      )
      return { claimed, computed }
    }),
  )
  observe(observer, claimed, computed, performance.now() - begunAt)
  const ready = computed.insights.length
  return { ready, invalid: claimed.length - ready }
}

/** @param tookMs from the begin of the transaction until it was committed. */
function observe(
  observer: BatchObserver,
  claimed: readonly ClaimedCapture[],
  { scored }: ComputedBatch,
  tookMs: number,
): void {
  for (const dataset of scored) observer.onScored?.(dataset.subscriptionId, dataset.scored)
  for (const dataset of claimed) {
    const { subscriptionId, fresh, uploadedAt, waitedMs } = dataset.claim
    if (!fresh) continue
    observer.onSettled?.({
      subscriptionId,
      uploadedAt: Date.parse(uploadedAt),
      latencyMs: waitedMs + tookMs,
      invalid: 'invalid' in dataset ? dataset.invalid.code : null,
    })
  }
}
