import { setTimeout as delay } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeSigningKey, openSigningKeys, type SigningKeys } from '../../api/account/signing-keys.ts'
import { openTokens } from '../../api/account/tokens.ts'
import { addTokenKey, listTokenKeys, removeExpiredTokenKeys } from '../../db/accounts/token-keys.ts'
import { type Db, openDatabase } from '../../db/postgres/database.ts'
import { openTestDatabase, type TestDatabase } from '../support/stores.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

let stored: TestDatabase
let db: Db

beforeAll(async () => {
  stored = await openTestDatabase()
  db = openDatabase({ url: stored.url, poolMax: 2 })
})
afterAll(async () => {
  await db.destroy()
  await stored.drop()
})
beforeEach(async () => {
  await db('token_keys').delete()
})

const log = pino({ level: 'silent' })
const claims = { subscriptionId: 1, userId: 1, sessionId: crypto.randomUUID() }
const kids = async () => (await listTokenKeys(db)).map(({ jwk }) => jwk.kid)
const age = (kid: string, by: string) =>
  db.raw('update token_keys set created_at = created_at - ?::interval where kid = ?', [by, kid])

/** Adds a key as a rotation does, made long enough ago to sign. */
async function rotate(ago = '10 seconds'): Promise<string> {
  const jwk = await makeSigningKey()
  expect(await addTokenKey(db, jwk)).toBeDefined()
  await age(jwk.kid, ago)
  return jwk.kid
}

/** Counts how often a connection was asked for. */
function countQueries(of: Db): () => number {
  let queries = 0
  of.client.pool.on('acquireRequest', () => queries++)
  return () => queries
}

test('the first key signs at once', async () => {
  const keys = await openSigningKeys(db, undefined, log)
  expect([(await keys.current()).kid]).toEqual(await kids())
})

test('a new key verifies at once and does not sign for 5 s', async () => {
  const first = (await (await openSigningKeys(db, undefined, log)).current()).kid
  await age(first, '1 hour')
  const added = await rotate('0 seconds')
  const keys = await openSigningKeys(db, undefined, log)
  expect((await keys.current()).kid).toBe(first)
  expect(await keys.find(added)).toBeDefined()
  await age(added, '5 seconds')
  expect((await (await openSigningKeys(db, undefined, log)).current()).kid).toBe(added)
})

test('a key with which another process signs is found at once', async () => {
  const here = await openSigningKeys(db, undefined, log)
  expect(await here.find('unknown')).toBeUndefined() // so that what is known is as old as may be
  const before = performance.now()
  await age((await here.current()).kid, '1 hour')
  const kid = await rotate()
  const there = openTokens(await openSigningKeys(db, undefined, log), 60)
  await expect.poll(() => performance.now() - before, { timeout: 5_000 }).toBeGreaterThan(1_000) // it signs after 5 s
  const { token } = await there.issue(claims)
  expect(await openTokens(here, 60).verify(token)).toMatchObject(claims)
  expect(await here.find(kid)).toBeDefined()
})

test('made-up key ids cost at most one query per second', async () => {
  const keys = await openSigningKeys(db, undefined, log)
  const queries = countQueries(db)
  const startedAt = performance.now()
  const strange = ['__proto__', 'constructor', '../token_keys', "' or true --", '\0', '', 'x'.repeat(8_000)]
  for (let n = 0; performance.now() - startedAt < 2_500; n++) {
    const asked = [...strange, crypto.randomUUID(), `junk-${n}`]
    const found = await Promise.all(asked.map((kid) => keys.find(kid)))
    expect(found).toEqual(asked.map(() => undefined))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const seconds = (performance.now() - startedAt) / 1_000
  expect(queries()).toBeGreaterThanOrEqual(2)
  expect(queries()).toBeLessThanOrEqual(Math.ceil(seconds) + 1)
})

test('while the database is unavailable, a token of an unknown key is not called invalid', async () => {
  const proxy = await openTcpProxy(stored.url)
  const unavailable = openDatabase({ url: proxy.url, poolMax: 2 })
  try {
    const keys = await openSigningKeys(unavailable, undefined, log)
    const tokens = openTokens(keys, 60)
    const { token } = await tokens.issue(claims)
    const kid = await rotate()
    await proxy.cut()
    expect(await tokens.verify(token)).toMatchObject(claims) // of a key that is known
    await expect.poll(() => keys.find(kid).then(String, () => 'failed'), { timeout: 5_000 }).toBe('failed')
    await proxy.restore()
    await expect.poll(() => keys.find(kid).catch(() => undefined), { timeout: 5_000 }).toBeDefined()
  } finally {
    await unavailable.destroy()
    await proxy.cut()
  }
})

describe('cached keys', () => {
  let proxy: TcpProxy
  let reached: Db
  let keys: SigningKeys
  let kid: string

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    proxy = await openTcpProxy(stored.url)
    reached = openDatabase({ url: proxy.url, poolMax: 2 })
    keys = await openSigningKeys(reached, undefined, log)
    kid = (await keys.current()).kid
  })
  afterEach(async () => {
    vi.useRealTimers()
    await proxy.cut()
    await reached.destroy()
  })

  const known = () => Promise.race([keys.find(kid).then(Boolean), delay(500, 'waits')])

  test('are available at once while an unknown one is looked up', async () => {
    proxy.freeze()
    vi.advanceTimersByTime(1_001)
    const unknown = keys.find('unknown').catch(() => 'failed')
    expect(await Promise.race([unknown, delay(100, 'waits')])).toBe('waits')
    expect(await known()).toBe(true)
    await proxy.cut()
    expect(await unknown).toBe('failed')
  })

  test('stay in use for 6 s when reloading fails', async () => {
    await proxy.cut()
    vi.advanceTimersByTime(5_900)
    await expect(keys.find('unknown')).rejects.toThrow()
    expect(await known()).toBe(true)
    expect((await keys.current()).kid).toBe(kid)
    vi.advanceTimersByTime(101)
    await expect(keys.find(kid)).rejects.toThrow()
    await proxy.restore()
    await expect.poll(() => keys.find(kid).catch(() => undefined), { timeout: 5_000 }).toBeDefined()
  })

  test('are reloaded in the background after 3 s', async () => {
    proxy.freeze()
    vi.advanceTimersByTime(3_001)
    expect(await known()).toBe(true)
    const added = await rotate()
    await proxy.restore()
    await expect.poll(async () => (await keys.current()).kid, { timeout: 5_000 }).toBe(added)
  })

  test('are dropped within 6 s of their removal', async () => {
    const added = await rotate()
    await db.raw('delete from token_keys where kid <> ?', [added])
    expect(await known()).toBe(true)
    vi.advanceTimersByTime(6_001)
    expect(await keys.find(kid)).toBeUndefined()
    expect((await keys.current()).kid).toBe(added)
  })
})

describe('retired keys', () => {
  test('are removed a day and an hour after another one started to sign, not before', async () => {
    const oldest = (await (await openSigningKeys(db, undefined, log)).current()).kid
    await age(oldest, '90 days')
    const middle = await rotate('24 hours 59 minutes')
    const newest = await rotate()
    expect(await removeExpiredTokenKeys(db)).toEqual([])
    await age(middle, '2 minutes')
    expect(await removeExpiredTokenKeys(db)).toEqual([oldest])
    await age(middle, '90 days')
    expect(await removeExpiredTokenKeys(db)).toEqual([])
    expect(await kids()).toEqual([newest, middle])
  })

  test('are never the last key, however old', async () => {
    const only = (await (await openSigningKeys(db, undefined, log)).current()).kid
    await age(only, '10 years')
    expect(await removeExpiredTokenKeys(db)).toEqual([])
    expect((await (await openSigningKeys(db, undefined, log)).current()).kid).toBe(only)
  })
})
