import type { Db } from '../postgres/database.ts'
import { latencyBucketOf } from './latency-histogram.ts'
import { addPipelineCounts, type PipelineCount, UnknownCommitError } from './pipeline-counts.ts'

/** A dataset that was settled for the first time. */
export interface FirstSettlement {
  readonly subscriptionId: number
  /** Milliseconds since 1970, by the clock of Postgres. */
  readonly uploadedAt: number
  /** From its upload until it was settled. */
  readonly latencyMs: number
  /** Why it is invalid; null when it is ready. */
  readonly invalid: string | null
}

/** Counts what comes in and what becomes of it, in this process. */
export interface PipelineCounter {
  /** An upload that was committed, and no retry of one. @param uploadedAt milliseconds since 1970, by the clock of Postgres. */
  countUpload(subscriptionId: number, uploadedAt: number): void
  /** Once its transaction is committed. */
  countSettled(settled: FirstSettlement): void
  /**
   * Writes what was counted since the last time; what cannot be written is kept for the next time. Where nobody knows
   * whether it was written, it is given up: rather too few than twice.
   */
  flush(): Promise<void>
}

const MINUTE_MS = 60_000

/** As they are gathered. */
interface Gathering {
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
  let gathered = new Map<string, Gathering>()

  function at(subscriptionId: number, instant: number): Gathering {
    const minute = Math.floor(instant / MINUTE_MS) * MINUTE_MS
    const key = `${subscriptionId} ${minute}`
    const known = gathered.get(key)
    if (known) return known
    const fresh = { subscriptionId, minute, uploads: 0, ready: 0, invalid: {}, latencies: {} }
    gathered.set(key, fresh)
    return fresh
  }

  function putBack(taken: Iterable<PipelineCount>): void {
    for (const { subscriptionId, minute, uploads, ready, invalid, latencies } of taken) {
      const count = at(subscriptionId, minute)
      count.uploads += uploads
      count.ready += ready
      addUp(count.invalid, invalid)
      addUp(count.latencies, latencies)
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
      const step = latencyBucketOf(latencyMs)
      count.latencies[step] = (count.latencies[step] ?? 0) + 1
    },
    async flush() {
      if (gathered.size === 0) return
      const taken = gathered
      gathered = new Map()
      try {
        await addPipelineCounts(db, [...taken.values()])
      } catch (error) {
        if (!(error instanceof UnknownCommitError)) putBack(taken.values())
        throw error
      }
    },
  }
}

function addUp(sums: Record<string, number>, more: Readonly<Record<string, number>>): void {
  for (const [name, datasets] of Object.entries(more)) sums[name] = (sums[name] ?? 0) + datasets
}
