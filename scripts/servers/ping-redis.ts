import { Redis } from 'ioredis'

/** What is wrong with the Redis server at this address, or undefined if it answers. Takes 4 s at most. */
export async function pingRedis(url: string): Promise<string | undefined> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  let cause: Error | undefined
  redis.on('error', (error) => {
    cause = error // connect() itself only says that the connection is closed
  })
  try {
    await redis.connect()
    await redis.ping()
    return undefined
  } catch (error) {
    return (cause ?? (error as Error)).message
  } finally {
    redis.disconnect()
  }
}
