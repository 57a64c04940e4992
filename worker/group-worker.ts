import { setTimeout as delay } from 'node:timers/promises'
import {
  createPostgresBackend,
  type Job,
  type JobProgress,
  type PostgresPoolConfig,
  type PostgresQueueBackend,
  Worker,
  type WorkerOptions,
} from 'bullmq'
import {
  type DatasetKey,
  type GroupJob,
  openRedis,
  QUEUE_NAME,
  type QueueLocation,
  queuePool,
} from '../db/queue.ts'

/** Takes jobs from the queue until it is closed. */
export interface GroupWorker {
  /** Takes no new job, waits for those that run, and returns soon after even when the queue is away. */
  close(): Promise<void>
}

/** How long a job may go without a sign of life before another worker takes it over. */
const LOCK_MS = 30_000

/** What the queue may take to acknowledge the last jobs; without it, they come again and find nothing to do. */
const ACKNOWLEDGE_MS = 2_000

/** Starts to take groups, `concurrency` at once. `onError` hears of lost connections and failed jobs. */
export function startGroupWorker(
  location: QueueLocation,
  {
    concurrency,
    process,
    onError,
  }: {
    concurrency: number
    process: (datasets: readonly DatasetKey[]) => Promise<void>
    onError: (error: Error) => void
  },
): GroupWorker {
  const running = new Set<Promise<void>>()
  const run = async (job: Job<GroupJob>) => {
    const work = process(job.data.datasets.map(([subscriptionId, id]) => ({ subscriptionId, id })))
    running.add(work)
    try {
      await work
    } finally {
      running.delete(work)
    }
  }
  const options = { concurrency, lockDuration: LOCK_MS, maxStalledCount: 10 }
  const { worker, release } = location.redis
    ? openRedisWorker(location.redis, run, options, onError)
    : openPostgresWorker(location.database, run, options)
  worker.on('error', onError)
  worker.on('failed', (_job, error) => onError(error))

  return {
    async close() {
      const closing = worker.close().catch(onError)
      await Promise.allSettled(running)
      await Promise.race([closing, delay(ACKNOWLEDGE_MS)])
      release()
    },
  }
}

type Options = Omit<WorkerOptions, 'connection'>
type Run = (job: Job<GroupJob>) => Promise<void>

function openRedisWorker(
  location: NonNullable<QueueLocation['redis']>,
  run: Run,
  options: Options,
  onError: (error: Error) => void,
) {
  const connection = openRedis(location, { failFast: false })
  connection.on('error', onError)
  return {
    worker: new Worker<GroupJob>(QUEUE_NAME, run, { ...options, connection }),
    release: () => connection.disconnect(),
  }
}

function openPostgresWorker(database: QueueLocation['database'], run: Run, options: Options) {
  return {
    worker: new Worker<GroupJob, void, string, PostgresQueueBackend, JobProgress, PostgresPoolConfig>(
      QUEUE_NAME,
      run,
      { ...options, connection: queuePool(database, (options.concurrency ?? 1) + 2) },
      createPostgresBackend,
    ),
    release: () => undefined,
  }
}
