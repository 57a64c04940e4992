import { once } from 'node:events'
import { createPostgresBackend, Queue } from 'bullmq'
import { withTimeout } from '../runtime/with-timeout.ts'
import { openQueuePool } from './postgres-pool.ts'
import { openRedis, QUEUE_NAME, type QueueLocation } from './producer.ts'

/** The queue as operators look at it, on connections of its own. */
export interface QueueView {
  /** @throws when the queue is away, within 2 s. */
  open(): Promise<Queue>
  close(): Promise<void>
}

/** Opens nothing before somebody looks. `onError` hears of connections that break; they come back by themselves. */
export function openQueueView(location: QueueLocation, onError: (error: Error) => void): QueueView {
  const source = location.redis
    ? redisSource(location.redis, onError)
    : postgresSource(location.database, onError)
  let opened: Promise<Queue> | undefined
  return {
    async open() {
      // a queue whose start failed never recovers, so it is made anew until one has started
      opened ??= source.open().catch((error) => {
        opened = undefined
        throw error
      })
      const queue = await withTimeout(2_000, 'The queue', opened)
      await withTimeout(2_000, 'The queue', source.check(queue))
      return queue
    },
    async close() {
      const closing = opened?.then((queue) => queue.close())
      await withTimeout(1_000, 'The queue', Promise.resolve(closing)).catch(() => undefined)
      await source.close()
    },
  }
}

interface Source {
  open(): Promise<Queue>
  check(queue: Queue): Promise<unknown>
  close(): Promise<unknown>
}

function redisSource(location: NonNullable<QueueLocation['redis']>, onError: (error: Error) => void): Source {
  let redis: ReturnType<typeof openRedis> | undefined
  return {
    async open() {
      if (!redis) {
        redis = openRedis(location, { failFast: true })
        redis.on('error', onError)
      }
      if (redis.status !== 'ready') await once(redis, 'ready')
      const queue = new Queue(QUEUE_NAME, { connection: redis })
      queue.on('error', onError)
      await queue.waitUntilReady()
      return queue
    },
    check: async () => redis?.ping(),
    close: async () => redis?.disconnect(),
  }
}

function postgresSource(database: QueueLocation['database'], onError: (error: Error) => void): Source {
  let end: (() => Promise<unknown>) | undefined
  return {
    async open() {
      const pool = openQueuePool(database, 2)
      const queue = new Queue(QUEUE_NAME, { connection: pool }, createPostgresBackend)
      queue.on('error', onError)
      try {
        await queue.waitUntilReady()
      } catch (error) {
        await queue.close()
        await pool.end()
        throw error
      }
      end = () => pool.end()
      return queue as unknown as Queue
    },
    check: (queue) => queue.getWaitingCount(),
    close: async () => end?.(),
  }
}
