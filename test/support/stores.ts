import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { inject } from 'vitest'
import { createDatabase, dropDatabase } from './databases.ts'

export interface TestDatabase {
  /** As the role of web and worker. */
  readonly url: string
  /** As the role that owns the tables, here a superuser. */
  readonly ownerUrl: string
  /** Drops the database, after ending its open connections. */
  drop(): Promise<void>
}

/** Opens an exclusive, migrated, empty database on the Postgres that global-setup.ts started. */
export const openTestDatabase = (): Promise<TestDatabase> => open(inject('templateDatabase'))

/** Like `openTestDatabase`, but without tables, so that the role of web and worker may do nothing in it: both URLs are of the owner. */
export const openEmptyDatabase = (): Promise<TestDatabase> => open()

async function open(template?: string): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl')
  const name = `test_${randomBytes(6).toString('hex')}`
  await createDatabase(serverUrl, name, template)
  const urlOf = (server: string) => Object.assign(new URL(server), { pathname: name }).href
  const ownerUrl = urlOf(serverUrl)
  const url = template === undefined ? ownerUrl : urlOf(inject('runtimeUrl'))
  return { url, ownerUrl, drop: () => dropDatabase(serverUrl, name) }
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
