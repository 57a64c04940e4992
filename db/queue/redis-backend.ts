import { once } from 'node:events'
import { Queue, Worker } from 'bullmq'
import { parseRedisUrl } from '../runtime/redis-url.ts'
import { shareConcurrent } from '../runtime/share-concurrent.ts'
import { withTimeout } from '../runtime/with-timeout.ts'
import {
  type BatchQueue,
  type ConnectionOptions,
  QUEUE_OPTIONS,
  type QueueBackend,
  type QueueConnection,
  reportErrors,
} from './backend.ts'
import { type BatchJob, JOB_NAME, QUEUE_NAME } from './job.ts'
import { gather, viewOf } from './jobs-view.ts'
import { listMasters, openRedis, type RedisClient, type RedisLocation } from './open-redis.ts'
import { openRotation } from './open-rotation.ts'
import { listShards, type Shard } from './shards.ts'

/** Time for one of several queues to respond, so that the others answer in time while the server of one is unavailable. */
const SHARD_MS = 1_000

/** Time for which jobs go to other queues after one did not take a job. */
const SHARD_REST_MS = 1_000

/** The queue on Redis, or on what speaks its protocol, such as Valkey. */
export const redisBackend = (location: RedisLocation): QueueBackend => ({
  connect: (options) => connect(location, options),
  startWorker(run, { onError, concurrency, ...options }) {
    const connection = openRedis(location, { failFast: false })
    const shards = shardsOf(location)
    const workers = shards.map(({ prefix }) => {
      const share = Math.ceil(concurrency / shards.length)
      const worker = new Worker<BatchJob, void>(QUEUE_NAME, run, {
        ...options,
        concurrency: share,
        connection,
        prefix,
      })
      reportErrors(worker, onError)
      return worker
    })
    return {
      close: async () => void (await Promise.all(workers.map((worker) => worker.close()))),
      release: () => connection.disconnect(),
    }
  },
})

const shardsOf = ({ url, shards }: RedisLocation) => listShards(parseRedisUrl(url).kind, shards)

function connect(location: RedisLocation, { onError, onWarning }: ConnectionOptions): QueueConnection {
  const redis = openRedis(location, { failFast: true })
  let unavailable = false
  const reportOnce = (error: Error) => {
    if (!unavailable) onError(error)
    unavailable = true // until Redis is back: connecting is retried several times a second at first
  }
  redis.on('sentinelError', onError) // the others answer
  redis.on('error', reportOnce).on('ready', () => {
    unavailable = false
    if (onWarning) void warnOfEviction(redis, onWarning)
  })
  const untilNextReady = shareConcurrent(() => once(redis, 'ready')) // all callers share one listener
  const untilReady = async () => {
    if (redis.status !== 'ready') await untilNextReady()
  }

  return {
    async openQueue() {
      await untilReady()
      const shards = shardsOf(location)
      const queues = shards.map(({ prefix }): BatchQueue => {
        const queue: BatchQueue = new Queue(QUEUE_NAME, { ...QUEUE_OPTIONS, connection: redis, prefix })
        return queue.on('error', reportOnce)
      })
      await Promise.all(queues.map((queue) => queue.waitUntilReady()))
      const inTurn = openRotation(queues, SHARD_REST_MS)
      const inTime = <T>(work: Promise<T>) =>
        shards.length > 1 ? withTimeout(SHARD_MS, 'Redis', work) : work
      const fromEach = (ask: (shard: Shard) => Promise<unknown>) =>
        gather(shards.map((shard) => inTime(ask(shard))))
      return {
        add: (job, order) => inTurn((queue) => inTime(queue.add(JOB_NAME, job, order))),
        jobs: viewOf(queues, parseRedisUrl(location.url).database, inTime),
        untilReady,
        probe: () => fromEach(({ probeKey }) => redis.set(probeKey, '1', 'EX', 60)),
        hasLostJobs: async () =>
          (await fromEach(({ memoryKey }) => redis.getset(memoryKey, '1'))).includes(null),
        close: async () => void (await Promise.all(queues.map((queue) => queue.close()))),
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
async function warnOfEviction(redis: RedisClient, onWarning: (warning: Error) => void): Promise<void> {
  const infos = await Promise.all(listMasters(redis).map((server) => server.info('memory').catch(() => '')))
  const policies = infos.map((info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1])
  const evicting = policies.find((policy) => policy !== undefined && policy !== 'noeviction')
  if (evicting !== undefined) onWarning(new EvictionWarning(evicting))
}
