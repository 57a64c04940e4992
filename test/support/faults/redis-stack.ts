import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { startRedis } from '../../../scripts/servers/start-redis.ts'
import { startTestStack, type TestStack } from '../test-stack.ts'

/** A stack with its own Redis process. */
export interface RedisStack extends TestStack {
  /** Kills Redis; its data is lost. */
  killRedis(): Promise<void>
  /** Restarts Redis without data. */
  startRedis(): Promise<void>
  /** Sends a command through a separate client. */
  command(name: string, ...parameters: (string | number)[]): Promise<unknown>
}

/** Opens a stack with its own Redis. @param options.env of its processes. */
export async function openRedisStack(options: { env?: Record<string, string> } = {}): Promise<RedisStack> {
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
