import type { DatabaseOptions } from '../postgres/database.ts'
import { withTimeout } from '../runtime/with-timeout.ts'
import type {
  ConnectionOptions,
  OpenQueue,
  QueueBackend,
  QueueWorker,
  QueueWorkerOptions,
  RunJob,
} from './backend.ts'
import type { RedisLocation } from './open-redis.ts'
import { postgresBackend } from './postgres-backend.ts'
import { redisBackend } from './redis-backend.ts'

/** Where the queue is: on Redis if `redis` is set, otherwise in Postgres. */
export interface QueueLocation {
  readonly database: DatabaseOptions
  readonly redis?: RedisLocation | undefined
}

/** Returns the location of the queue that a process's environment selects. */
export function queueLocation(
  database: DatabaseOptions,
  env: {
    REDIS_URL?: string | undefined
    REDIS_TLS?: RedisLocation['tls']
    REDIS_CA?: string | undefined
    QUEUE_SHARDS?: number | undefined
  },
): QueueLocation {
  const { REDIS_URL: url, REDIS_TLS: tls, REDIS_CA: ca, QUEUE_SHARDS: shards } = env
  return { database, redis: url === undefined ? undefined : { url, tls, ca, shards } }
}

/** The only place that selects a store. */
const backendOf = ({ redis, database }: QueueLocation): QueueBackend =>
  redis ? redisBackend(redis) : postgresBackend(database)

/** The queue, opened by the first request that succeeds. */
export interface LazyQueue {
  /** @throws what the request throws, or when there is no response within `ms`; soon while the store is unavailable. */
  request<T>(ms: number, request: (queue: OpenQueue) => Promise<T>): Promise<T>
  /** Waits for `pending` first; resolves within about 1 s, also while the store is unavailable. */
  close(pending?: Iterable<Promise<unknown>>): Promise<void>
}

/** Connects to the queue for adding and inspecting jobs. */
export function openQueue(location: QueueLocation, options: ConnectionOptions): LazyQueue {
  const connection = backendOf(location).connect(options)
  let opened: Promise<OpenQueue> | undefined

  /** A queue whose start failed never recovers, so it is recreated until one has started. */
  function open(): Promise<OpenQueue> {
    opened ??= connection.openQueue().catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }

  async function send<T>(request: (queue: OpenQueue) => Promise<T>): Promise<T> {
    const queue = await open()
    await queue.untilReady()
    return request(queue)
  }

  return {
    request: (ms, request) => withTimeout(ms, 'The queue', send(request)),
    async close(pending = []) {
      const closing = Promise.allSettled(pending).then(async () => (await opened)?.close())
      await withTimeout(1_000, 'The queue', closing).catch(() => undefined)
      await connection.close()
    },
  }
}

/** Runs jobs of the queue until it is closed. */
export const startQueueWorker = (
  location: QueueLocation,
  run: RunJob,
  options: QueueWorkerOptions,
): QueueWorker => backendOf(location).startWorker(run, options)
