import { setTimeout as delay } from 'node:timers/promises'
import { datasetsOf, type EnqueuedDataset } from '../../db/queue/job.ts'
import { type QueueLocation, startQueueWorker } from '../../db/queue/open-queue.ts'

/** Processes jobs of the queue until it is closed. */
export interface BatchWorker {
  /** Takes no new job, waits for those in flight, and returns soon after even when the queue is unavailable. */
  close(): Promise<void>
}

/** A job whose lock was not renewed for so long is taken over by another worker. */
const LOCK_MS = 30_000

/** Between two attempts while the queue is unavailable. */
const RETRY_MS = 1_000

/** Time for the queue to acknowledge the last jobs; without it, they are delivered again and find nothing to do. */
const ACKNOWLEDGE_MS = 2_000

/** Starts processing batches, `concurrency` at once. `onError` is called for lost connections and failed jobs. */
export function startBatchWorker(
  location: QueueLocation,
  {
    concurrency,
    process,
    onError,
  }: {
    concurrency: number
    /** Is called with the datasets of a job, and when it was enqueued. */
    process: (datasets: readonly EnqueuedDataset[], enqueuedAt: Date) => Promise<void>
    onError: (error: Error) => void
  },
): BatchWorker {
  const inFlight = new Set<Promise<void>>()
  const worker = startQueueWorker(
    location,
    async ({ data, timestamp }) => {
      const work = process(datasetsOf(data), new Date(timestamp))
      inFlight.add(work)
      try {
        await work
      } finally {
        inFlight.delete(work)
      }
    },
    { concurrency, lockDuration: LOCK_MS, maxStalledCount: 10, runRetryDelay: RETRY_MS, onError },
  )

  return {
    async close() {
      const closing = worker.close().catch(onError)
      await Promise.allSettled(inFlight)
      await Promise.race([closing, delay(ACKNOWLEDGE_MS)])
      worker.release()
    },
  }
}
