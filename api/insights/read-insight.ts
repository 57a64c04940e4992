import type { Actor } from '../../db/audit/actor.ts'
import { listBeingCollected } from '../../db/collections/collections.ts'
import { type InsightRequest, requestInsights } from '../../db/datasets/insights.ts'
import type { Db } from '../../db/postgres/database.ts'
import { tracedActive } from '../../db/runtime/tracing/traced.ts'
import { openBatches } from '../batches.ts'
import type { DatasetWaiter } from './dataset-waiter.ts'
import { beingCollected, type ReadyInsight, requireReady } from './ready-insight.ts'
import type { ReplicaReads } from './replica-reads.ts'

/** Maximum reads per statement; their access records share one commit. */
const MAX_BATCH = 64

/** Reader of an insight, and whether to include explanations. */
export interface Reader {
  readonly requestor: Actor
  readonly explained?: boolean
}

/** Reads the insight of a dataset and records the access. */
export type ReadInsight = (
  subscriptionId: number,
  referenceNumber: string,
  reader: Reader,
) => Promise<ReadyInsight>

/**
 * Opens reading. A dataset that still waits is moved to the front of the queue and awaited, so that a read never waits for a
 * burst of uploads.
 *
 * A replica answers if the insight is ready there; otherwise the primary does, so that an upload is found at once.
 *
 * @throws Problem `dataset_not_found`, `dataset_deleted`, `dataset_invalid`, or `insight_not_ready` after `waitMs`; from the
 * returned function.
 */
export function openReadInsight(
  { db, replicaReads }: { db: Db; replicaReads?: ReplicaReads | undefined },
  waiter: DatasetWaiter,
  waitMs: number,
): ReadInsight {
  const reads = openBatches({
    maxItems: MAX_BATCH,
    work: (requests: readonly InsightRequest[]) => requestInsights(db, requests),
  })

  return async (subscriptionId, referenceNumber, { requestor, explained = false }) => {
    const startedAt = performance.now()
    const request = (last: boolean): InsightRequest => ({
      subscriptionId,
      referenceNumber,
      requestor,
      waitedSeconds: (performance.now() - startedAt) / 1_000,
      last,
      explained,
    })

    const last = waitMs === 0
    const find = (last: boolean) => tracedActive('find insight', () => reads.add(request(last)))
    let found = (await replicaReads?.find(request(last))) ?? (await find(last))
    if (found?.status === 'received' && waitMs > 0) {
      const waiting = [found]
      await tracedActive('wait for dataset', () => waiter.wait(waiting, waitMs))
      found = await find(true)
    }
    if (!found && (await listBeingCollected(db, subscriptionId, [referenceNumber])).size > 0)
      throw beingCollected()
    return requireReady(found)
  }
}
