import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrateDatabase } from '../db/migrate-database.ts'
import { buildPortal } from '../scripts/servers/build-portal.ts'
import { startPostgres } from '../scripts/servers/start-postgres.ts'
import { startRedis } from '../scripts/servers/start-redis.ts'
import type { ManagedProcess } from '../scripts/servers/start-supervisor.ts'
import { fillCompileCache } from './support/compile-cache.ts'
import { createDatabase } from './support/databases.ts'
import { PROJECT } from './support/start-process.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of the Postgres for all test files: of its database `postgres`, which is nobody's. */
    postgresUrl: string
    /** The same as the role of web and worker. */
    runtimeUrl: string
    /** The name of the migrated, empty database that each test file gets a copy of. */
    templateDatabase: string
    /** The address of the Redis for all test files: of database 0, which only counts what was claimed. */
    redisUrl: string
    redisDatabases: number
  }
}

const TEMPLATE = 'template_inkling'
const REDIS_DATABASES = 512

let stop = async () => {}

/** Builds the portal; starts one Postgres and one Redis for all test files. */
export async function setup(project: TestProject): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'inkling-test-'))
  await chmod(directory, 0o711) // root's Postgres runs as another user
  const started: ManagedProcess[] = []
  stop = async () => {
    for (const server of started.toReversed()) await server.stop()
    await rm(directory, { recursive: true, force: true })
  }

  try {
    await buildPortal(PROJECT)
    // Postgres's supervisor removes the directory, also when this process is killed, so Redis's is inside
    const postgres = await startPostgres({ directory, temporary: true })
    started.push(postgres)
    const redis = await startRedis({ directory: join(directory, 'redis'), databases: REDIS_DATABASES })
    started.push(redis)
    const postgresUrl = postgres.url('postgres')
    await fillCompileCache(postgresUrl)
    await createDatabase(postgresUrl, TEMPLATE)
    await migrateDatabase(
      { url: postgres.url(TEMPLATE), poolMax: 2 },
      { url: postgres.runtimeUrl(TEMPLATE), poolMax: 2 },
    )
    project.provide('postgresUrl', postgresUrl)
    project.provide('runtimeUrl', postgres.runtimeUrl('postgres'))
    project.provide('templateDatabase', TEMPLATE)
    project.provide('redisUrl', redis.url)
    project.provide('redisDatabases', REDIS_DATABASES)
  } catch (error) {
    await stop()
    throw error
  }
}

export const teardown = () => stop()
