import { pingRedis } from '../processes/ping-redis.ts'
import { StartError } from '../processes/start-error.ts'
import { startRedis } from '../processes/start-redis.ts'
import type { DataDirectory } from './data-directory.ts'
import type { ProcessGroup } from './life.ts'
import { say } from './say.ts'

/**
 * The address of the Redis server that `--redis` means: the given one, or one that lives as long as the demo.
 *
 * @returns undefined without `--redis`: then the queue is in Postgres.
 */
export async function openQueueServer(
  redis: string | boolean,
  data: DataDirectory,
  life: ProcessGroup,
): Promise<string | undefined> {
  if (redis === false) return undefined
  if (redis === true) {
    const log = data.log('redis')
    const server = await startRedis({ directory: data.redis, log, signal: life.signal })
    say(`Redis listens at ${server.url}`)
    return life.keep('Redis', log, server).url
  }
  const parsed = URL.parse(redis)
  if (!parsed || !['redis:', 'rediss:'].includes(parsed.protocol))
    throw new StartError(`--redis needs an address such as redis://127.0.0.1:6379, not ${redis}`)
  const fault = await pingRedis(redis)
  if (fault !== undefined) throw new StartError(`The Redis server ${parsed.host} does not answer: ${fault}`)
  return redis
}
