import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { startRedis } from '../../../scripts/servers/start-redis.ts'
import { startTestStack, type TestStack } from '../test-stack.ts'

/** A stack whose Redis is a process of its own. */
export interface RedisHouse extends TestStack {
  /** Kills Redis, so that what it held is gone. */
  killRedis(): Promise<void>
  /** Starts it again, empty. */
  startRedis(): Promise<void>
  /** Has a client of its own send a command. */
  command(name: string, ...parameters: (string | number)[]): Promise<unknown>
}

/** Opens a stack with its own Redis. @param options.env of its processes. */
export async function openRedisHouse(options: { env?: Record<string, string> } = {}): Promise<RedisHouse> {
  const directory = await mkdtemp(join(tmpdir(), 'inkling-redis-'))
  const start = () => startRedis({ directory })
  let server = await start()
  const stack = await startTestStack({ ...options, redisUrl: server.url })
  return {
    ...stack,
    async killRedis() {
      await server.kill()
      await stack.redis.cut()
    },
    async startRedis() {
      server = await start()
      await stack.redis.restore(server.url)
    },
    async command(name, ...parameters) {
      const redis = new Redis(server.url)
      try {
        return await redis.call(name, ...parameters)
      } finally {
        redis.disconnect()
      }
    },
    async [Symbol.asyncDispose]() {
      await stack[Symbol.asyncDispose]()
      await server.kill()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
