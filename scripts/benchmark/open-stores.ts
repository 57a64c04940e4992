import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { ProcessGroup } from '../servers/process-group.ts'
import { removePostgres } from '../servers/remove-postgres.ts'
import { startPostgres } from '../servers/start-postgres.ts'
import { startRedis } from '../servers/start-redis.ts'

/** The Postgres and Redis that both systems share, configured as in production. */
export interface Stores {
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>
  /** Deletes a database, after ending its connections. */
  dropDatabase(name: string): Promise<void>
  /** Runs a statement as the owner of the server. */
  query(sql: string): Promise<unknown[]>
  redisUrl(database: number): string
  readonly versions: { readonly postgres: string; readonly redis: string }
}

const paths = (directory: string) => ({
  postgres: join(directory, 'postgres'),
  redis: join(directory, 'redis'),
})

/** Deletes the data of both; call it after they have stopped. */
export async function removeStores(directory: string): Promise<void> {
  const { postgres, redis } = paths(directory)
  await removePostgres(postgres)
  rmSync(redis, { recursive: true, force: true })
}

/** @throws Error unless a commit waits for the disk and Redis writes its append-only file. */
export async function openStores(directory: string, processes: ProcessGroup): Promise<Stores> {
  const { signal } = processes
  await removeStores(directory) // left over from a run that was killed
  const postgresLog = join(directory, 'postgres.log')
  const redisLog = join(directory, 'redis.log')
  const [postgres, redis] = await Promise.all([
    startPostgres({ directory: paths(directory).postgres, log: postgresLog, signal }),
    startRedis({ directory: paths(directory).redis, log: redisLog, signal }),
  ])
  processes.add('Postgres', postgresLog, postgres)
  processes.add('Redis', redisLog, redis)
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
    throw new Error('Postgres does not wait for the disk on commit')
  return {
    createDatabase: async (name) => {
      await query(`create database ${pg.escapeIdentifier(name)}`)
      return postgres.url(name)
    },
    dropDatabase: async (name) =>
      void (await query(`drop database ${pg.escapeIdentifier(name)} with (force)`)),
    query,
    redisUrl: (database) => `${redis.url}/${database}`,
    versions: { postgres: settings.version, redis: await keepLog(redis.url) },
  }
}

/** Enables the append-only file of Redis, as for a production queue; returns the version. */
async function keepLog(url: string): Promise<string> {
  const redis = new Redis(url)
  try {
    await redis.config('SET', 'appendonly', 'yes')
    const [, appendonly] = (await redis.config('GET', 'appendonly')) as string[]
    if (appendonly !== 'yes') throw new Error('Redis does not write its append-only file')
    return /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown'
  } finally {
    redis.disconnect()
  }
}
