import type { Db } from '../postgres/database.ts'
import { latencyBucketOf } from './latency-histogram.ts'
import { addPipelineCounts, type PipelineCount, UnknownCommitError } from './pipeline-counts.ts'

/** A dataset that was settled for the first time. */
export interface FirstSettlement {
  readonly subscriptionId: number
  /** Milliseconds since 1970, by the clock of Postgres. */
  readonly uploadedAt: number
  /** Milliseconds from its upload until it was settled. */
  readonly latencyMs: number
  /** Error code if it is invalid; null if it is ready. */
  readonly invalid: string | null
}

/** Counts uploads and outcomes in this process. */
export interface PipelineCounter {
  /** Counts a committed upload, not a retry. @param uploadedAt milliseconds since 1970, by the clock of Postgres. */
  countUpload(subscriptionId: number, uploadedAt: number): void
  /** Call it once the transaction is committed. */
  countSettled(settled: FirstSettlement): void
  /**
   * Writes the counts since the last call. Counts that cannot be written are retried by the next call; if it is unknown whether
   * they were written, they are dropped: too few is better than twice.
   */
  flush(): Promise<void>
}

const MINUTE_MS = 60_000

/** A `PipelineCount` in progress. */
interface OpenCount {
  readonly subscriptionId: number
  readonly minute: number
  uploads: number
  ready: number
  readonly invalid: Record<string, number>
  readonly latencies: Record<string, number>
}

/**
 * Opens counting in this process: less than 1 µs a dataset, and one row written for each minute and subscription, however
 * many datasets. A process that is killed loses what it counted since the last flush.
 */
export function openPipelineCounter(db: Db): PipelineCounter {
  let counts = new Map<string, OpenCount>()

  function at(subscriptionId: number, timestamp: number): OpenCount {
    const minute = Math.floor(timestamp / MINUTE_MS) * MINUTE_MS
    const key = `${subscriptionId} ${minute}`
    const known = counts.get(key)
    if (known) return known
    const fresh = { subscriptionId, minute, uploads: 0, ready: 0, invalid: {}, latencies: {} }
    counts.set(key, fresh)
    return fresh
  }

  function putBack(taken: Iterable<PipelineCount>): void {
    for (const { subscriptionId, minute, uploads, ready, invalid, latencies } of taken) {
      const count = at(subscriptionId, minute)
      count.uploads += uploads
      count.ready += ready
      addTo(count.invalid, invalid)
      addTo(count.latencies, latencies)
    }
  }

  return {
    countUpload(subscriptionId, uploadedAt) {
      at(subscriptionId, uploadedAt).uploads++
    },
    countSettled({ subscriptionId, uploadedAt, latencyMs, invalid }) {
      const count = at(subscriptionId, uploadedAt + latencyMs)
      if (invalid === null) count.ready++
      else count.invalid[invalid] = (count.invalid[invalid] ?? 0) + 1
      const bucket = latencyBucketOf(latencyMs)
      count.latencies[bucket] = (count.latencies[bucket] ?? 0) + 1
    },
    async flush() {
      if (counts.size === 0) return
      const taken = counts
      counts = new Map()
      try {
        await addPipelineCounts(db, [...taken.values()])
      } catch (error) {
        if (!(error instanceof UnknownCommitError)) putBack(taken.values())
        throw error
      }
    },
  }
}

function addTo(sums: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, datasets] of Object.entries(more)) sums[name] = (sums[name] ?? 0) + datasets
}
