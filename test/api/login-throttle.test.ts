import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openLoginThrottle } from '../../api/account/login-throttle.ts'
import { type Db, openDatabase } from '../../db/postgres/database.ts'
import { openTestDatabase, type TestDatabase } from '../support/stores.ts'

let stored: TestDatabase
let db: Db

beforeAll(async () => {
  stored = await openTestDatabase()
  db = openDatabase({ url: stored.url, poolMax: 2 })
})
afterAll(async () => {
  vi.useRealTimers()
  await db.destroy()
  await stored.drop()
})

test('expired entries are removed from the table, by one sweep every 5 minutes', async () => {
  const hoursAgo = (hours: number) => Date.now() - hours * 3_600_000
  await db('login_attempts').insert([
    { key: 'address:192.0.2.1', points: 100, expire: hoursAgo(1.1) },
    { key: 'known:x', points: 1, expire: hoursAgo(2) },
    { key: 'place:x', points: 3, expire: hoursAgo(0.1) },
    { key: 'account:x', points: 3, expire: hoursAgo(-0.1) },
  ])
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  openLoginThrottle(db)
  let asked = 0
  db.client.pool.on('acquireRequest', () => asked++)
  vi.advanceTimersByTime(5 * 60_000)
  vi.useRealTimers()
  const left = () => db('login_attempts').orderBy('key').pluck('key')
  expect(asked).toBe(1)
  await expect.poll(left, { timeout: 5_000 }).toEqual(['account:x', 'place:x'])
})
