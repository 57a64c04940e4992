import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { ProcessGroup } from '../servers/process-group.ts'
import { removePostgres } from '../servers/remove-postgres.ts'
import { startPostgres } from '../servers/start-postgres.ts'
import { startRedis } from '../servers/start-redis.ts'

/** The Postgres and the Redis that both systems share, set up as production is. */
export interface Stores {
  /** Makes an empty database and gives its address. */
  createDatabase(name: string): Promise<string>
  redisUrl(database: number): string
  readonly versions: { readonly postgres: string; readonly redis: string }
}

const paths = (directory: string) => ({
  postgres: join(directory, 'postgres'),
  redis: join(directory, 'redis'),
})

/** Deletes what both kept; call it when they have stopped. */
export async function removeStores(directory: string): Promise<void> {
  const { postgres, redis } = paths(directory)
  await removePostgres(postgres)
  rmSync(redis, { recursive: true, force: true })
}

/** @throws Error unless a commit waits for the disk, and Redis writes its log. */
export async function openStores(directory: string, life: ProcessGroup): Promise<Stores> {
  const { signal } = life
  await removeStores(directory) // of a run that was killed
  const postgresLog = join(directory, 'postgres.log')
  const redisLog = join(directory, 'redis.log')
  const [postgres, redis] = await Promise.all([
    startPostgres({ directory: paths(directory).postgres, log: postgresLog, signal }),
    startRedis({ directory: paths(directory).redis, log: redisLog, signal }),
  ])
  life.add('Postgres', postgresLog, postgres)
  life.add('Redis', redisLog, redis)
  const query = async (sql: string) => {
    const client = new pg.Client(postgres.url('postgres'))
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
  const [settings] = await query(
    `select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
            current_setting('server_version') as version`,
  )
  if (settings.fsync !== 'on' || settings.commit !== 'on')
    throw new Error('Postgres does not commit to the disk')
  return {
    createDatabase: async (name) => {
      await query(`create database ${pg.escapeIdentifier(name)}`)
      return postgres.url(name)
    },
    redisUrl: (database) => `${redis.url}/${database}`,
    versions: { postgres: settings.version, redis: await keepLog(redis.url) },
  }
}

/** Makes Redis write each change to its log, as a production queue does; returns its version. */
async function keepLog(url: string): Promise<string> {
  const redis = new Redis(url)
  try {
    await redis.config('SET', 'appendonly', 'yes')
    const [, appendonly] = (await redis.config('GET', 'appendonly')) as string[]
    if (appendonly !== 'yes') throw new Error('Redis does not keep its log')
    return /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown'
  } finally {
    redis.disconnect()
  }
}
