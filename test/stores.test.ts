import { Redis } from 'ioredis'
import pg from 'pg'
import { expect, test } from 'vitest'
import { claimRedisUrl, openTestDatabase } from './support/stores.ts'

test('every claim is of another Redis database', async () => {
  const urls = await Promise.all(Array.from({ length: 5 }, claimRedisUrl))
  expect(new Set(urls).size).toBe(5)
  const [one, other] = urls.map((url) => new Redis(url))
  await one?.set('name', 'one')
  expect(await other?.get('name')).toBeNull()
  one?.disconnect()
  other?.disconnect()
})

test('databases for tests are migrated and apart, even when opened at once', async () => {
  const databases = await Promise.all(Array.from({ length: 5 }, openTestDatabase))
  const counts = await Promise.all(
    databases.map(async ({ url }, index) => {
      const client = new pg.Client(url)
      await client.connect()
      await client.query(
        `insert into subscriptions (name) select 'name ' || n from generate_series(1, $1) n`,
        [index],
      )
      const { rows } = await client.query('select count(*)::integer as count from subscriptions')
      await client.end()
      return rows[0].count
    }),
  )
  expect(counts).toEqual([0, 1, 2, 3, 4])
  await Promise.all(databases.map((database) => database.drop()))
})
