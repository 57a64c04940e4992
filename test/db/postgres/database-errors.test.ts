import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Db, openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { isTransientDatabaseError } from '../../../db/postgres/database-errors.ts'
import { openTestDatabase, type TestDatabase } from '../../support/stores.ts'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'

let stored: TestDatabase
let proxy: TcpProxy
let db: Db

beforeAll(async () => {
  stored = await openTestDatabase()
  proxy = await openTcpProxy(stored.url)
  db = openDatabase({ url: proxy.url, poolMax: 2 })
})
afterAll(async () => {
  await proxy.restore()
  await db.destroy()
  await proxy.cut()
  await stored.drop()
})

/** The error of a promise that is to fail. */
async function errorOf(failing: Promise<unknown>): Promise<unknown> {
  try {
    await failing
  } catch (error) {
    return error
  }
  throw new Error('It did not fail')
}

/** An error as Postgres sends it. */
const raise = (code: string) =>
  errorOf(queryRows(db, `do $$ begin raise exception 'x' using errcode = '${code}'; end $$`))

describe('an error of Postgres', () => {
  test.each([
    ['08006', 'connection failure'],
    ['25006', 'a standby takes no writes'],
    ['40001', 'serialization failure'],
    ['40P01', 'deadlock'],
    ['53000', 'insufficient resources'],
    ['53100', 'disk full'],
    ['53200', 'out of memory'],
    ['53300', 'too many connections'],
    ['55P03', 'lock not available'],
    ['57014', 'statement over its time'],
    ['57P01', 'shut down'],
    ['57P02', 'crashed'],
    ['57P03', 'starting up'],
    ['58030', 'input or output failed'],
    ['XX000', 'internal error'],
    ['XX001', 'data corrupted'],
  ])('%s, %s, passes', async (code) => {
    expect(isTransientDatabaseError(await raise(code))).toBe(true)
  })

  test.each([
    ['21000', 'cardinality violation'],
    ['22001', 'text too long'],
    ['22021', 'NUL in a text'],
    ['22P05', 'half of a surrogate pair in JSON'],
    ['23505', 'unique violation'],
    ['23514', 'check violation'],
    ['42601', 'syntax'],
    ['42P01', 'no such table'],
    ['42501', 'not allowed'],
    ['P0001', 'raised'],
  ])('%s, %s, is an error of the statement or its data', async (code) => {
    expect(isTransientDatabaseError(await raise(code))).toBe(false)
  })

  test('that is not an error of Postgres is not transient', () => {
    for (const error of [
      new Error('x'),
      new TypeError('y'),
      undefined,
      null,
      'ECONNREFUSED',
      { code: '53100' },
    ])
      expect(isTransientDatabaseError(error)).toBe(false)
  })
})

describe('is transient in practice:', () => {
  const expectPassing = async (failing: Promise<unknown>, words: RegExp) => {
    const error = await errorOf(failing)
    expect(String(error)).toMatch(words)
    expect(isTransientDatabaseError(error), String(error)).toBe(true)
  }

  test('a connection that is terminated by the server', async () => {
    const ended = queryRows(db, 'select pg_terminate_backend(pg_backend_pid())')
    await expectPassing(ended, /terminating connection/)
  })

  test('a connection that breaks while a statement runs, and one that is refused', async () => {
    const running = errorOf(queryRows(db, 'select pg_sleep(10)'))
    await delay(200)
    await proxy.cut()
    await expectPassing(
      running.then((error) => Promise.reject(error)),
      /terminated|ECONNRESET/,
    )
    await expectPassing(queryRows(db, 'select 1'), /ECONNREFUSED/)
    await expectPassing(
      db.transaction(async () => undefined),
      /ECONNREFUSED/,
    )
    await proxy.restore()
  })

  test('a transaction that Postgres ended because it was idle', async () => {
    const idle = db.transaction(async (trx) => {
      await queryRows(trx, 'set local idle_in_transaction_session_timeout = 50')
      await delay(500)
      await queryRows(trx, 'select 1')
    })
    await expectPassing(idle, /idle-in-transaction|terminated|not queryable/)
  })

  test('a statement that exceeds its timeout', async () => {
    const slow = db.transaction(async (trx) => {
      await queryRows(trx, 'set local statement_timeout = 50')
      await queryRows(trx, 'select pg_sleep(10)')
    })
    await expectPassing(slow, /statement timeout/)
  })

  test('a write to a read-only server, such as a standby', async () => {
    const writing = db.transaction(async (trx) => {
      await queryRows(trx, 'set transaction read only')
      await queryRows(trx, "insert into subscriptions (name) values ('x')")
    })
    await expectPassing(writing, /read-only/)
  })

  test('an exhausted pool, after 5 s', async () => {
    const held = Promise.withResolvers<void>()
    const holding: Promise<void>[] = []
    for (let n = 0; n < 2; n++)
      await new Promise<void>((resolve) => {
        holding.push(
          db.transaction(async () => {
            resolve()
            await held.promise
          }),
        )
      })
    const startedAt = performance.now()
    await expectPassing(queryRows(db, 'select 1'), /Timeout acquiring a connection/)
    expect(performance.now() - startedAt).toBeLessThan(8_000)
    held.resolve()
    await Promise.all(holding)
  })

  test('a server that accepts connections and does not answer, within 5 s', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined))
    silent.listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const other = openDatabase({ url: `postgres://x:y@127.0.0.1:${port}/z`, poolMax: 2 })
    const startedAt = performance.now()
    await expectPassing(queryRows(other, 'select 1'), /timeout/i)
    expect(performance.now() - startedAt).toBeLessThan(8_000)
    await other.destroy()
    silent.close()
  })

  test('a host name that does not resolve', async () => {
    const other = openDatabase({ url: 'postgres://x:y@nowhere.invalid/z', poolMax: 2 })
    await expectPassing(queryRows(other, 'select 1'), /ENOTFOUND|EAI_AGAIN/)
    await other.destroy()
  })
})
