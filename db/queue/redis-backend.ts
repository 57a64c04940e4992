import { once } from 'node:events'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import {
  type BatchQueue,
  type ConnectionOptions,
  QUEUE_OPTIONS,
  type QueueBackend,
  type QueueConnection,
  reportErrors,
} from './backend.ts'
import { type BatchJob, QUEUE_NAME } from './job.ts'

export interface RedisLocation {
  readonly url: string
  readonly tls?: 'off' | 'unverified' | 'verified' | undefined
  readonly ca?: string | undefined
}

/** Longer than any response takes: for a worker, Redis delays its response by up to 10 s while no job waits. */
const SILENCE_MS = 15_000

/** Expires after 60 s. */
const PROBE_KEY = 'inkling:probe'

/** Absent when Redis was wiped or replaced, or came back without its data: the jobs are lost as well. */
const MEMORY_KEY = 'inkling:memory'

/**
 * Opens a Redis client for BullMQ, which reconnects indefinitely, within 2 s of Redis being back. The caller closes it.
 *
 * A connection that gets no response, as after a failover, is dropped after 15 s; TCP alone takes 15 minutes.
 *
 * @param failFast commands fail at once while Redis is unavailable, instead of waiting for it.
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

/** The queue on Redis, or on what speaks its protocol, such as Valkey. */
export const redisBackend = (location: RedisLocation): QueueBackend => ({
  connect: (options) => connect(location, options),
  startWorker(run, { onError, ...options }) {
    const connection = openRedis(location, { failFast: false })
    const worker = new Worker<BatchJob, void>(QUEUE_NAME, run, { ...options, connection })
    reportErrors(worker, onError)
    return { close: () => worker.close(), release: () => connection.disconnect() }
  },
})

function connect(location: RedisLocation, { onError, onWarning }: ConnectionOptions): QueueConnection {
  const redis = openRedis(location, { failFast: true })
  let unavailable = false
  const reportOnce = (error: Error) => {
    if (!unavailable) onError(error)
    unavailable = true // until Redis is back: connecting is retried several times a second at first
  }
  redis.on('error', reportOnce).on('ready', () => {
    unavailable = false
    if (onWarning) void warnOfEviction(redis, onWarning)
  })
  let ready: Promise<unknown> | undefined
  /** All callers share one listener. */
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
      const queue: BatchQueue = new Queue(QUEUE_NAME, { ...QUEUE_OPTIONS, connection: redis })
      queue.on('error', reportOnce)
      await queue.waitUntilReady()
      return {
        queue,
        untilReady,
        probe: () => redis.set(PROBE_KEY, '1', 'EX', 60),
        hasLostJobs: async () => (await redis.getset(MEMORY_KEY, '1')) === null,
        close: () => queue.close(),
      }
    },
    close: async () => redis.disconnect(),
  }
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

/** Does nothing where Redis does not report its policy, or the connection broke: the next connection is asked. */
async function warnOfEviction(redis: Redis, onWarning: (warning: Error) => void): Promise<void> {
  const info = await redis.info('memory').catch(() => '')
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1]
  if (policy !== undefined && policy !== 'noeviction') onWarning(new EvictionWarning(policy))
}
