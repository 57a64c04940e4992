import { once } from 'node:events'
import {
  createPostgresBackend,
  type JobsOptions,
  type PgPool,
  type PostgresQueueBackend,
  Queue,
  type QueueOptions,
} from 'bullmq'
import { Redis } from 'ioredis'
import type { DatasetKey } from '../datasets/dataset-key.ts'
import type { DatabaseOptions } from '../postgres/database.ts'
import { withTimeout } from '../runtime/with-timeout.ts'
import { openQueuePool } from './postgres-pool.ts'

/** The one queue; each job is a group of datasets. */
export const QUEUE_NAME = 'datasets'

/**
 * What a job carries: references only, as pairs `[subscriptionId, id]`. The rows are the promise, so a job may be
 * lost or delivered twice without harm.
 */
export interface BatchJob {
  readonly datasets: readonly (readonly [subscriptionId: number, id: number])[]
}

/** Where the queue is: on Redis if `redis` is set, else in Postgres. */
export interface QueueLocation {
  readonly database: DatabaseOptions
  readonly redis?: RedisLocation | undefined
}

interface RedisLocation {
  readonly url: string
  readonly tls?: 'off' | 'unverified' | 'verified' | undefined
  readonly ca?: string | undefined
}

/** The part of a process's environment that says where the queue is. */
export function queueLocation(
  database: DatabaseOptions,
  env: { REDIS_URL?: string | undefined; REDIS_TLS?: RedisLocation['tls']; REDIS_CA?: string | undefined },
): QueueLocation {
  return {
    database,
    redis:
      env.REDIS_URL === undefined ? undefined : { url: env.REDIS_URL, tls: env.REDIS_TLS, ca: env.REDIS_CA },
  }
}

/** Longer than any answer takes: a worker asks Redis to hold back its answer for up to 10 s, while nothing waits. */
const SILENCE_MS = 15_000

/**
 * Opens a Redis client for BullMQ that reconnects for ever, within 2 s of Redis being back. The caller closes it.
 *
 * A connection that swallows everything, as after a failover, is given up after 15 s; TCP alone takes 15 minutes.
 *
 * @param failFast commands fail at once while Redis is away, instead of waiting for it.
 */
export function openRedis({ url, tls, ca }: RedisLocation, { failFast }: { failFast: boolean }): Redis {
  const secure = tls === 'unverified' || tls === 'verified' || (tls === undefined && ca !== undefined)
  return new Redis(url, {
    maxRetriesPerRequest: null,
    enableOfflineQueue: !failFast,
    connectTimeout: 5_000,
    socketTimeout: SILENCE_MS,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    ...(secure && { tls: { rejectUnauthorized: tls !== 'unverified', ...(ca && { ca }) } }),
  })
}

/** Tells workers that datasets wait. */
export interface QueueProducer {
  /**
   * Once this resolves, a job for these datasets is in the queue: before all others if `urgent`, else behind those of
   * its rank and of the ranks below, which run from 0 to 1,000.
   *
   * @throws when the queue is away, at once or within 5 s; the relay rings again later, so nothing is lost.
   */
  enqueue(datasets: readonly DatasetKey[], options?: { urgent?: boolean; rank?: number }): Promise<void>
  /** @throws unless the queue accepts a write within 2 s: a full Redis answers PING while it refuses jobs. */
  check(): Promise<void>
  /**
   * Whether the queue has lost its jobs since this was last asked, by whatever process: Redis was wiped, replaced, or
   * came back without its data.
   *
   * @throws as `check`.
   */
  hasForgotten(): Promise<boolean>
  /**
   * Jobs that are in the queue and in nobody's hand, those to be tried again among them.
   *
   * @throws as `check`.
   */
  countWaiting(): Promise<number>
  /** Lets those ring that have begun to; returns soon even when the queue is away. */
  close(): Promise<void>
}

const QUEUE_OPTIONS: Omit<QueueOptions, 'connection'> = {
  streams: { events: { maxLen: 1_000 } },
  defaultJobOptions: {
    attempts: 5,
    backoff: { type: 'exponential', delay: 1_000 },
    removeOnComplete: true,
    removeOnFail: { count: 1_000 },
  },
}

/** Opens the ringing side of the queue. `onError` hears once of each outage; it reconnects by itself. */
export function openProducer(location: QueueLocation, onError: (error: Error) => void): QueueProducer {
  const backend = location.redis
    ? openRedisBackend(location.redis, onError)
    : openPostgresBackend(location.database, onError)
  let opened: Promise<OpenedQueue> | undefined
  const ringing = new Set<Promise<unknown>>()

  /** A queue whose start failed never recovers, so it is made anew until one has started. */
  function open(): Promise<OpenedQueue> {
    opened ??= backend.openQueue().catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }

  const ask = <T>(question: (queue: OpenedQueue) => Promise<T>) =>
    withTimeout(2_000, 'The queue', open().then(question))

  return {
    async enqueue(datasets, { urgent = false, rank = 0 } = {}) {
      const job = { datasets: datasets.map(({ subscriptionId, id }) => [subscriptionId, id] as const) }
      // jobs without a priority, which is rank 0, go before all that have one; lifo puts a job at the head of them
      const order: Order = urgent ? { lifo: true } : { priority: rank }
      const rung = withTimeout(
        5_000,
        'The queue',
        open().then((queue) => queue.add(job, order)),
      )
      ringing.add(rung)
      try {
        await rung
      } finally {
        ringing.delete(rung)
      }
    },
    check: async () => void (await ask((queue) => queue.probe())),
    hasForgotten: () => ask((queue) => queue.hasForgotten()),
    countWaiting: () => ask((queue) => queue.countWaiting()),
    async close() {
      const closing = Promise.allSettled(ringing).then(async () => (await opened)?.close())
      await withTimeout(1_000, 'The queue', closing).catch(() => undefined)
      await backend.close()
    },
  }
}

type Order = Pick<JobsOptions, 'lifo' | 'priority'>

/** BullMQ's queue on either store, as far as ringing needs it. */
interface OpenedQueue {
  add(job: BatchJob, order: Order): Promise<unknown>
  probe(): Promise<unknown>
  hasForgotten(): Promise<boolean>
  countWaiting(): Promise<number>
  close(): Promise<void>
}

const WAITING = ['wait', 'prioritized', 'delayed'] as const

interface QueueBackend {
  /** @throws when its store is away. */
  openQueue(): Promise<OpenedQueue>
  close(): Promise<void>
}

class EvictionWarning extends Error {
  override name = 'EvictionWarning'
  constructor(policy: string) {
    super(
      `Redis may evict jobs, which delays datasets: its maxmemory-policy is ${policy}. Set it to noeviction, and give no ` +
        'other application this Redis.',
    )
  }
}

/** What Redis does when its memory is full; undefined where it does not say. */
async function findEvictionPolicy(redis: Redis): Promise<string | undefined> {
  return /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
}

function openRedisBackend(location: RedisLocation, onError: (error: Error) => void): QueueBackend {
  const redis = openRedis(location, { failFast: true })
  let away = false
  const tell = (error: Error) => {
    if (!away) onError(error)
    away = true // until Redis is back: it is tried for ever, several times a second at first
  }
  redis.on('error', tell).on('ready', () => {
    away = false
    const asked = findEvictionPolicy(redis).catch(() => undefined) // if it broke, the next connection is asked
    void asked.then((policy) => {
      if (policy !== undefined && policy !== 'noeviction') onError(new EvictionWarning(policy))
    })
  })
  let ready: Promise<unknown> | undefined
  /** One wait for all who ring: rejects when the next attempt to connect fails. */
  const untilReady = async () => {
    if (redis.status === 'ready') return
    ready ??= once(redis, 'ready').finally(() => {
      ready = undefined
    })
    await ready
  }

  return {
    async openQueue() {
      await untilReady()
      const queue = new Queue<BatchJob, void, 'group'>(QUEUE_NAME, { ...QUEUE_OPTIONS, connection: redis })
      queue.on('error', tell)
      await queue.waitUntilReady()
      return {
        add: async (job, order) => {
          await untilReady()
          return queue.add('group', job, order)
        },
        probe: async () => {
          await untilReady()
          return redis.set('inkling:probe', '1', 'EX', 60)
        },
        hasForgotten: async () => {
          await untilReady()
          return (await redis.getset('inkling:memory', '1')) === null
        },
        countWaiting: async () => {
          await untilReady()
          return queue.getJobCountByTypes(...WAITING)
        },
        close: () => queue.close(),
      }
    },
    close: async () => redis.disconnect(),
  }
}

function openPostgresBackend(database: DatabaseOptions, onError: (error: Error) => void): QueueBackend {
  return {
    async openQueue() {
      const pool = openQueuePool(database, 4)
      const queue = new Queue<BatchJob, void, 'group', BatchJob, void, 'group', PostgresQueueBackend, PgPool>(
        QUEUE_NAME,
        { ...QUEUE_OPTIONS, connection: pool },
        createPostgresBackend,
      )
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
        add: (job, order) => queue.add('group', job, order),
        probe: () => queue.getWaitingCount(),
        hasForgotten: async () => {
          await queue.getWaitingCount()
          return false // jobs and datasets are in one database
        },
        countWaiting: () => queue.getJobCountByTypes(...WAITING),
        close,
      }
    },
    close: async () => undefined,
  }
}
