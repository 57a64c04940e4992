import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { inject } from 'vitest'
import { createDatabase, dropDatabase } from './databases.ts'

export interface TestDatabase {
  readonly url: string
  /** Drops the database, after ending its open connections. */
  drop(): Promise<void>
}

/** Opens an exclusive, migrated, empty database on the Postgres that global-setup.ts started. */
export const openTestDatabase = (): Promise<TestDatabase> => open(inject('templateDatabase'))

/** Like `openTestDatabase`, but without tables. */
export const openEmptyDatabase = (): Promise<TestDatabase> => open()

async function open(template?: string): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await createDatabase(serverUrl, name, template)
  const url = new URL(serverUrl)
  url.pathname = name
  return { url: url.href, drop: () => dropDatabase(serverUrl, name) }
}

/** Returns the URL of an exclusive, empty Redis database on the Redis that global-setup.ts started. */
export async function claimRedisUrl(): Promise<string> {
  const url = new URL(inject('redisUrl'))
  const redis = new Redis(url.href)
  try {
    const database = await redis.incr('claimed')
    const databases = inject('redisDatabases')
    if (database >= databases)
      throw new Error(`All ${databases - 1} Redis databases are claimed: ask for more of them`)
    url.pathname = String(database)
    return url.href
  } finally {
    redis.disconnect()
  }
}
