import { once } from 'node:events'
import { openRedis } from '../../db/queue/open-redis.ts'
import { withTimeout } from '../../db/runtime/with-timeout.ts'

const PING_MS = 4_000

/** Returns the error of the Redis server at this address, or undefined if it responds. Takes at most 4 s. */
export async function pingRedis(url: string): Promise<string | undefined> {
  const redis = openRedis({ url }, { failFast: true })
  try {
    await withTimeout(PING_MS, 'Redis', once(redis, 'ready'))
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    redis.on('error', () => undefined).disconnect()
  }
}
