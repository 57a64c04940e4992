import type { Actor } from '../../db/audit/actor.ts'
import { isBeingCollected } from '../../db/collections/collections.ts'
import { type FoundInsight, type InsightRequest, requestInsights } from '../../db/datasets/insights.ts'
import type { Db } from '../../db/postgres/database.ts'
import { openBatches } from '../batches.ts'
import { Problem } from '../http/problem.ts'
import type { DatasetWaiter } from './dataset-waiter.ts'
import type { ReplicaReads } from './replica-reads.ts'

/** Maximum reads per statement; their access records share one commit. */
const MAX_BATCH = 64

/** An insight that is ready. */
export interface ReadyInsight extends FoundInsight {
  readonly scores: string
  readonly fragments: string
  readonly calculatedDate: string
}

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
    let found = (await replicaReads?.find(request(last))) ?? (await reads.add(request(last)))
    if (found?.status === 'received' && waitMs > 0) {
      await waiter.wait(found, waitMs)
      found = await reads.add(request(true))
    }
    if (!found && (await isBeingCollected(db, subscriptionId, referenceNumber))) throw BEING_COLLECTED()
    return ready(found)
  }
}

const BEING_COLLECTED = () =>
  new Problem('insight_not_ready', {
    detail: 'The browser is still collecting; the dataset exists once its page completes the collection',
    retryAfterSeconds: 5,
  })

function ready(found: FoundInsight | undefined): ReadyInsight {
  if (!found) throw new Problem('dataset_not_found')
  if (found.status === 'deleted') throw new Problem('dataset_deleted')
  if (found.status === 'invalid')
    throw new Problem('dataset_invalid', {
      detail: `The data of this dataset could not be decoded: ${found.invalidDetail ?? 'no reason was stored'}`,
    })
  const { scores, fragments, calculatedDate } = found
  if (scores === null || fragments === null || calculatedDate === null)
    throw new Problem('insight_not_ready', { retryAfterSeconds: 5 })
  return { ...found, scores, fragments, calculatedDate }
}
