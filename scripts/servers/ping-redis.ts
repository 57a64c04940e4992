import { Redis } from 'ioredis'

/** Returns the error of the Redis server at this address, or undefined if it responds. Takes at most 4 s. */
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
    cause = error // connect() itself only reports that the connection is closed
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
