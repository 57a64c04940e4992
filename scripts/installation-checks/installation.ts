import { once } from 'node:events'
import type { z } from 'zod'
import { webEnv } from '../../api/config.ts'
import { type PostgresSettings, readPostgresSettings } from '../../db/checks/postgres-settings.ts'
import { type RedisState, readRedisState } from '../../db/checks/redis-state.ts'
import { type MigrationState, readMigrations } from '../../db/migrate-database.ts'
import { type DatabaseOptions, type Db, databaseOptions, openDatabase } from '../../db/postgres/database.ts'
import { type QueueLocation, queueLocation } from '../../db/queue/open-queue.ts'
import { listMasters, openRedis, type RedisClient } from '../../db/queue/open-redis.ts'
import { withTimeout } from '../../db/runtime/with-timeout.ts'
import { workerEnv } from '../../worker/config.ts'
import { Skipped } from './skipped.ts'

/** What the command line says. */
export interface DoctorOptions {
  /** Web processes that are to run, each with WEB_CONCURRENCY processes. */
  readonly web: number
  readonly worker: number
  /** Address of a running web. */
  readonly url?: URL | undefined
  /** Bytes that are free on the disk of Postgres. */
  readonly diskFree?: number | undefined
}

/** Variables of web and worker, without those that are missing or invalid. */
export type Variables = Partial<z.output<ReturnType<typeof webEnv>> & z.output<ReturnType<typeof workerEnv>>>

/** What checks read. Connections are opened when first needed, and shared. */
export interface Installation {
  readonly env: NodeJS.ProcessEnv
  readonly options: DoctorOptions
  readonly variables: Variables
  readonly isProduction: boolean
  /** @throws Skipped without a valid `DATABASE_URL`. */
  database(): DatabaseOptions
  /** @throws as `database`. */
  queue(): QueueLocation
  /** @throws what the connection throws. */
  settings(): Promise<PostgresSettings>
  /** @throws Skipped if Postgres cannot be reached. */
  postgres(): Promise<Db>
  /** As `postgres`. @throws Skipped if the database has no tables of this version. */
  tables(): Promise<Db>
  /** @throws what the statement throws. */
  migrations(): Promise<MigrationState>
  /** Reads the state of Redis: of the server, or of the masters of a cluster. @throws Skipped without a valid `REDIS_URL`; what the connection throws. */
  redis(): Promise<RedisState[]>
  /** Ends connections, within a second. */
  close(): Promise<void>
}

const CONNECT_MS = 5_000
const CLOSE_MS = 1_000
const POOL_MAX = 4

export function openInstallation(env: NodeJS.ProcessEnv, options: DoctorOptions): Installation {
  const variables: Variables = {
    ...parseValid(workerEnv(env).shape, env),
    ...parseValid(webEnv(env).shape, env),
  }
  const { DATABASE_URL } = variables
  let redis: RedisClient | undefined

  const database = () => {
    if (DATABASE_URL === undefined) throw new Skipped('DATABASE_URL is not set, or invalid')
    return databaseOptions({ DATABASE_POOL_MAX: 10, ...variables, DATABASE_URL })
  }
  const open = remember(async () => openDatabase({ ...database(), poolMax: POOL_MAX }))
  const settings = remember(async () => readPostgresSettings(await open()))
  const postgres = async () => {
    await settings().catch((error) => {
      throw error instanceof Skipped ? error : new Skipped('Postgres cannot be reached')
    })
    return open()
  }
  const migrations = remember(async () => readMigrations(await postgres()))

  return {
    ...{ env, options, variables, database, settings, postgres, migrations },
    isProduction: env.NODE_ENV === 'production',
    queue: () => queueLocation(database(), variables),
    async tables() {
      const db = await postgres()
      const state = await migrations().catch((error) => {
        throw error instanceof Skipped ? error : new Skipped('the tables cannot be read')
      })
      if (state.pending.length > 0) throw new Skipped('the database is not migrated')
      return db
    },
    redis: remember(async () => {
      const { REDIS_URL: url, REDIS_TLS: tls, REDIS_CA: ca } = variables
      if (url === undefined) throw new Skipped('REDIS_URL is not set: the queue is in Postgres')
      redis = openRedis({ url, tls, ca }, { failFast: true })
      redis.on('error', () => undefined) // the first one ends the wait
      await withTimeout(CONNECT_MS, 'Redis', once(redis, 'ready'))
      return Promise.all(listMasters(redis).map(readRedisState))
    }),
    async close() {
      redis?.disconnect()
      if (DATABASE_URL !== undefined)
        await withTimeout(
          CLOSE_MS,
          'Postgres',
          open().then((db) => db.destroy()),
        ).catch(() => undefined)
    },
  }
}

/** Parses each variable by itself, so that a check can use those that are valid. */
function parseValid<Shape extends Record<string, z.ZodType>>(shape: Shape, env: NodeJS.ProcessEnv) {
  const values = Object.entries(shape).flatMap(([name, type]) => {
    const result = type.safeParse(env[name] || undefined)
    return result.success ? [[name, result.data]] : []
  })
  return Object.fromEntries(values) as { [Name in keyof Shape]?: z.output<Shape[Name]> }
}

/** Calls `work` once; all callers get its result. */
function remember<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}
