import type { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createPostgresBackend,
  type Job,
  type JobProgress,
  type PgPool,
  type PostgresQueueBackend,
  Worker,
  type WorkerOptions,
} from 'bullmq'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import { openQueuePool } from '../../db/queue/postgres-pool.ts'
import { type BatchJob, openRedis, QUEUE_NAME, type QueueLocation } from '../../db/queue/producer.ts'

/** Takes jobs from the queue until it is closed. */
export interface BatchWorker {
  /** Takes no new job, waits for those that run, and returns soon after even when the queue is away. */
  close(): Promise<void>
}

/** How long a job may go without a sign of life before another worker takes it over. */
const LOCK_MS = 30_000

/** Between two attempts while the queue is away. */
const RETRY_MS = 1_000

/** What the queue may take to acknowledge the last jobs; without it, they come again and find nothing to do. */
const ACKNOWLEDGE_MS = 2_000

/** Starts to take groups, `concurrency` at once. `onError` hears of lost connections and failed jobs. */
export function startBatchWorker(
  location: QueueLocation,
  {
    concurrency,
    process,
    onError,
  }: {
    concurrency: number
    /** Gets the datasets of a job, and when it was added to the queue. */
    process: (datasets: readonly DatasetKey[], enqueuedAt: Date) => Promise<void>
    onError: (error: Error) => void
  },
): BatchWorker {
  const running = new Set<Promise<void>>()
  const run = async (job: Job<BatchJob>) => {
    const keys = job.data.datasets.map(([subscriptionId, id]) => ({ subscriptionId, id }))
    const work = process(keys, new Date(job.timestamp))
    running.add(work)
    try {
      await work
    } finally {
      running.delete(work)
    }
  }
  const options = { concurrency, lockDuration: LOCK_MS, maxStalledCount: 10, runRetryDelay: RETRY_MS }
  const listen = (worker: EventEmitter) => {
    worker.on('error', onError)
    worker.on('failed', (_job, error) => onError(error))
  }
  const opened = location.redis
    ? openRedisWorker(location.redis, run, options, listen)
    : openPostgresWorker(location.database, run, options, listen)

  return {
    async close() {
      const closing = opened.close().catch(onError)
      await Promise.allSettled(running)
      await Promise.race([closing, delay(ACKNOWLEDGE_MS)])
      opened.release()
    },
  }
}

type Options = Omit<WorkerOptions, 'connection'>
type Run = (job: Job<BatchJob>) => Promise<void>
type Listen = (worker: EventEmitter) => void

interface OpenedWorker {
  /** Waits for the jobs that run and for the queue. */
  close(): Promise<void>
  /** Waits for nothing. */
  release(): void
}

function openRedisWorker(
  location: NonNullable<QueueLocation['redis']>,
  run: Run,
  options: Options,
  listen: Listen,
): OpenedWorker {
  const connection = openRedis(location, { failFast: false })
  const worker = new Worker<BatchJob>(QUEUE_NAME, run, { ...options, connection })
  listen(worker)
  return { close: () => worker.close(), release: () => connection.disconnect() }
}

function openPostgresWorker(
  database: QueueLocation['database'],
  run: Run,
  options: Options,
  listen: Listen,
): OpenedWorker {
  const stopping = new AbortController()

  async function start() {
    const pool = openQueuePool(database, (options.concurrency ?? 1) + 2)
    const worker = new Worker<BatchJob, void, string, PostgresQueueBackend, JobProgress, PgPool>(
      QUEUE_NAME,
      run,
      { ...options, connection: pool, autorun: false },
      createPostgresBackend,
    )
    listen(worker)
    const close = async () => {
      await worker.close()
      await pool.end()
    }
    try {
      await worker.waitUntilReady()
      worker.run().catch((error) => worker.emit('error', error))
      return close
    } catch {
      await close() // the worker has told of its error
      return undefined
    }
  }

  /** A worker whose start failed never recovers, so it is made anew until one has started. */
  const started = (async () => {
    while (!stopping.signal.aborted) {
      const close = await start()
      if (close) return close
      await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
    return undefined
  })()

  return {
    async close() {
      stopping.abort()
      await (await started)?.()
    },
    release: () => undefined,
  }
}
