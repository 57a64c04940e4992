import { setTimeout as delay } from 'node:timers/promises'
import {
  createPostgresBackend,
  type JobProgress,
  type PgPool,
  type PostgresQueueBackend,
  Queue,
  Worker,
} from 'bullmq'
import type { DatabaseOptions } from '../postgres/database.ts'
import {
  type BatchQueue,
  type ConnectionOptions,
  QUEUE_OPTIONS,
  type QueueBackend,
  type QueueConnection,
  type QueueWorker,
  type QueueWorkerOptions,
  type RunJob,
  reportErrors,
} from './backend.ts'
import { type BatchJob, JOB_NAME, QUEUE_NAME } from './job.ts'
import { openQueuePool } from './postgres-pool.ts'

/** Connections of a worker that runs this many jobs at once. */
export const workerConnections = (concurrency: number): number => concurrency + 2

/** The queue in the database that holds the datasets. */
export const postgresBackend = (database: DatabaseOptions): QueueBackend => ({
  connect: (options) => connect(database, options),
  startWorker: (run, options) => startWorker(database, run, options),
})

function connect(database: DatabaseOptions, { maxConnections, onError }: ConnectionOptions): QueueConnection {
  return {
    async openQueue() {
      const pool = openQueuePool(database, maxConnections)
      const opened = new Queue(QUEUE_NAME, { ...QUEUE_OPTIONS, connection: pool }, createPostgresBackend)
      const queue = opened as unknown as BatchQueue // it differs by the type of its backend alone
      queue.on('error', onError)
      const close = async () => {
        await queue.close()
        await pool.end()
      }
      try {
        await queue.waitUntilReady()
      } catch (error) {
        await close()
        throw error
      }
      return {
        add: (job, order) => queue.add(JOB_NAME, job, order),
        jobs: queue,
        untilReady: async () => undefined,
        probe: () => queue.getWaitingCount(),
        async hasLostJobs() {
          await queue.getWaitingCount()
          return false // jobs and datasets are in one database
        },
        close,
      }
    },
    close: async () => undefined,
  }
}

function startWorker(
  database: DatabaseOptions,
  run: RunJob,
  { onError, ...options }: QueueWorkerOptions,
): QueueWorker {
  const stopping = new AbortController()

  async function start(): Promise<(() => Promise<void>) | undefined> {
    const pool = openQueuePool(database, workerConnections(options.concurrency))
    const worker = new Worker<BatchJob, void, string, PostgresQueueBackend, JobProgress, PgPool>(
      QUEUE_NAME,
      run,
      { ...options, connection: pool, autorun: false },
      createPostgresBackend,
    )
    reportErrors(worker, onError)
    const close = async () => {
      await worker.close()
      await pool.end()
    }
    try {
      await worker.waitUntilReady()
      worker.run().catch((error) => worker.emit('error', error))
      return close
    } catch {
      await close() // the worker has reported its error
      return undefined
    }
  }

  /** A worker whose start failed never recovers, so it is recreated until one has started. */
  const started = (async () => {
    while (!stopping.signal.aborted) {
      const close = await start()
      if (close) return close
      await delay(options.runRetryDelay, undefined, { signal: stopping.signal }).catch(() => undefined)
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
