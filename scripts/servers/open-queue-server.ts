import { parseRedisUrl } from '../../db/runtime/redis-url.ts'
import { printMessage } from '../cli/print-message.ts'
import { StartError } from '../cli/start-error.ts'
import { pingRedis } from './ping-redis.ts'
import type { ProcessGroup } from './process-group.ts'
import { startRedis } from './start-redis.ts'

/**
 * Returns the address of the Redis server that `--redis` selects: the given one, or one that ends with the process group.
 *
 * @returns undefined without `--redis`: the queue is then in Postgres.
 */
export async function openQueueServer(
  redis: string | boolean,
  files: { directory: string; log: string },
  processes: ProcessGroup,
): Promise<string | undefined> {
  if (redis === false) return undefined
  if (redis === true) {
    const server = await startRedis({ ...files, signal: processes.signal })
    printMessage(`Redis listens at ${server.url}`)
    return processes.add('Redis', files.log, server).url
  }
  const server = findServer(redis)
  if (server === undefined)
    throw new StartError(`--redis needs an address such as redis://127.0.0.1:6379, not ${redis}`)
  const fault = await pingRedis(redis)
  if (fault !== undefined) throw new StartError(`The Redis server ${server} does not respond: ${fault}`)
  return redis
}

/** Returns host and port of the first server of a Redis URL; undefined if it is none. */
function findServer(url: string): string | undefined {
  try {
    const [first] = parseRedisUrl(url).hosts
    return first && `${first.host}:${first.port}`
  } catch {
    return undefined
  }
}
