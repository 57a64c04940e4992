import {
  type FoundInsight,
  findInsights,
  type InsightRequest,
  recordRequests,
  type UnrecordedRequest,
} from '../../db/datasets/insights.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Replica } from '../../db/postgres/replica.ts'
import { shareConcurrent } from '../../db/runtime/share-concurrent.ts'
import { withTimeout } from '../../db/runtime/with-timeout.ts'
import { openBatches } from '../batches.ts'

/** Reads of insights that a replica answers. */
export interface ReplicaReads {
  /**
   * Returns an insight that is ready, and records the request with the next flush; undefined if the primary has to be asked: the
   * dataset is not there or not ready, or the replica is unavailable or behind.
   */
  find(request: InsightRequest): Promise<FoundInsight | undefined>
  /** Records the requests so far on the primary; if that fails, they are recorded by the next call. */
  flush(): Promise<void>
}

/** Maximum reads per statement. */
const MAX_BATCH = 64

/** A replica that takes longer is left for the primary. */
const MAX_READ_MS = 500

/** Requests that are kept at most; beyond, the primary answers and records. */
const MAX_UNRECORDED = 10_000

/** Requests recorded by a statement. */
const MAX_ROWS = 500

/** Opens reading from a replica. A process that is killed loses the records of requests since the last flush. */
export function openReplicaReads(primary: Db, replica: Replica): ReplicaReads {
  let unrecorded: UnrecordedRequest[] = []

  /** Never fails: the primary answers then. */
  async function read(requests: readonly InsightRequest[]): Promise<readonly (FoundInsight | undefined)[]> {
    if (replica.isCurrent())
      try {
        return await withTimeout(MAX_READ_MS, 'The replica', findInsights(replica.db, requests))
      } catch {
        replica.leave() // its probes report the error
      }
    return requests.map(() => undefined)
  }
  const reads = openBatches({ maxItems: MAX_BATCH, work: read })

  async function flush(): Promise<void> {
    while (unrecorded.length > 0) {
      const taken = unrecorded.slice(0, MAX_ROWS)
      await recordRequests(primary, taken)
      unrecorded = unrecorded.slice(taken.length)
    }
  }

  return {
    async find(request) {
      if (!replica.isCurrent() || unrecorded.length >= MAX_UNRECORDED) return undefined
      const found = await reads.add(request)
      if (found?.status !== 'ready' || found.scores === null) return undefined
      const { subscriptionId, id, referenceNumber, requestedDate } = found
      unrecorded.push({ subscriptionId, id, referenceNumber, requestedDate, requestor: request.requestor })
      return found
    },
    flush: shareConcurrent(flush),
  }
}
