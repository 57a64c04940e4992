import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrateDatabase } from '../../db/migrate-database.ts'
import { type Db, openDatabase, queryRows } from '../../db/postgres/database.ts'
import { leadsToPooler } from '../../db/postgres/pooler.ts'
import { STATEMENT_MS } from '../../db/postgres/timeouts.ts'
import { checkPooler } from '../../db/queue/check-pooler.ts'
import { anUpload } from '../support/captures.ts'
import { readByCode, upload } from '../support/client.ts'
import { expectRecovered, expectUnaffected, startSomeLoad } from '../support/faults/redis-recovery.ts'
import { openRedisStack } from '../support/faults/redis-stack.ts'
import { byLength, isLong } from '../support/faults/run-length.ts'
import { startUploadLoad } from '../support/faults/upload-load.ts'
import { type Pgbouncer, startPgbouncer, withoutPgbouncer } from '../support/pgbouncer.ts'
import { readSourceFiles } from '../support/source-files.ts'
import { killProcesses, startProcess } from '../support/start-process.ts'
import { openTestDatabase, type TestDatabase } from '../support/stores.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

/** Sessions of Postgres for all connections of web and worker, which open many more. */
const POOL_SIZE = 3

const SETTINGS = `select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`

/** Statements whose effect outlasts their transaction, in the session. */
const SESSION_STATE =
  /\bpg_(try_)?advisory_(un)?lock(_shared)?\(|set_config\([^)]*\bfalse\s*\)|[`']\s*(set (?!local\b|transaction\b)\w+ (to|=)|listen |prepare |declare |discard |create temp(orary)? table \w)/

test('no statement of web and worker keeps anything in its session of Postgres', () => {
  const files = readSourceFiles().filter(({ path }) =>
    /^(db|api|worker)\/(?!portal|sdk|migrations)/.test(path),
  )
  expect(files.length).toBeGreaterThan(200)
  const found = files.filter(({ code }) => SESSION_STATE.test(code)).map(({ path }) => path)
  expect(found).toEqual(['db/migrate-database.ts', 'db/postgres/migration-client.ts']) // both of `release`
})

describe.skipIf(withoutPgbouncer)(
  'behind PgBouncer in transaction mode',
  { timeout: byLength({ short: 60_000, long: 300_000 }) },
  () => {
    let stored: TestDatabase
    let pgbouncer: Pgbouncer
    let db: Db
    beforeAll(async () => {
      stored = await openTestDatabase()
      pgbouncer = await startPgbouncer(stored.ownerUrl, { poolSize: POOL_SIZE })
      db = openDatabase({ url: pgbouncer.pooled(stored.url), directUrl: stored.url, poolMax: 10 })
    })
    afterAll(async () => {
      await killProcesses()
      await db?.destroy()
      await pgbouncer?.[Symbol.asyncDispose]()
      await stored?.drop()
    })

    const throughPooler = ({ databaseUrl }: TestStack) => ({
      DATABASE_URL: pgbouncer.pooled(databaseUrl),
      DATABASE_DIRECT_URL: databaseUrl,
    })

    test('Redis is killed in a storm: uploads are accepted, and drained within 30 s of its return', async () => {
      await using stack = await openRedisStack()
      const env = throughPooler(stack)
      await Promise.all([stack.startWeb(env), stack.startWorker(env)])
      const load = await startSomeLoad(stack)
      await load.untilAccepted(20)
      await stack.killRedis()
      await expectUnaffected(load, byLength({ short: 3_000, long: 30_000 }))
      await stack.startRedis()
      await expectRecovered(stack, load, { fault: 'Redis killed, behind PgBouncer' })
    })

    test('a storm of uploads and reads: nothing is lost, and nobody logs an error', async () => {
      // the queue is in Postgres, which it reaches past the pooler
      await using stack = await startTestStack({ backend: 'postgres' })
      const env = throughPooler(stack)
      const [web, worker] = await Promise.all([stack.startWeb(env), stack.startWorker(env)])
      const load = await startUploadLoad(stack, { clients: 12, pauseMs: 0 })
      const { uploaderKey, requesterKey } = stack.tenant
      for (let n = 0; n < byLength({ short: 20, long: 500 }); n++) {
        const { referenceNumber } = (await upload(web.url, uploaderKey, anUpload())).body
        expect(await readByCode(web.url, requesterKey, referenceNumber)).toMatchObject({ status: 200 })
      }
      await load.end()
      await load.expectProcessedOnce({ fault: 'behind PgBouncer', kills: 0, withinMs: 30_000 })
      expect([load.rejected, load.disconnected]).toEqual([0, 0])
      for (const { logged } of [web, worker]) expect(logged().filter(({ level }) => level > 30)).toEqual([])
    })

    test('every statement and transaction has its timeouts, and none remains for the next client', async () => {
      const [statement, idle] = ['15s', '15s']
      const read = (trx: Db) => queryRows(trx, SETTINGS)
      expect(await Promise.all(Array.from({ length: 8 }, () => read(db)))).toEqual(
        Array(8).fill([{ statement, idle: '0' }]),
      )
      expect(await db.transaction(read)).toEqual([{ statement, idle }])
      expect(await db.transaction(read, { isolationLevel: 'repeatable read', readOnly: true })).toEqual([
        { statement, idle },
      ])
      await expect(db.transaction((trx) => queryRows(trx, 'select 1 / 0'))).rejects.toThrow(
        'division by zero',
      )
      await expect(queryRows(db, 'select 1 / ?::integer', [0])).rejects.toThrow('division by zero')
      expect(await read(db)).toEqual([{ statement, idle: '0' }])
      const other = new pg.Client(pgbouncer.pooled(stored.url))
      await other.connect()
      for (let n = 0; n < POOL_SIZE; n++)
        expect((await other.query(SETTINGS)).rows).toEqual([{ statement: '0', idle: '0' }])
      await other.end()
    })

    test.runIf(isLong)('a statement that is stuck ends', async () => {
      const startedAt = performance.now()
      await expect(queryRows(db, 'select pg_sleep(60)')).rejects.toMatchObject({ code: '57014' })
      expect(performance.now() - startedAt).toBeLessThan(STATEMENT_MS + 3_000)
    })

    test('migrations end with an error instead of waiting for a lock that nobody holds', async () => {
      const through = { url: pgbouncer.pooled(stored.ownerUrl), poolMax: 2 }
      expect(await leadsToPooler(through)).toBe(true)
      expect(await leadsToPooler({ ...through, url: stored.ownerUrl })).toBe(false)
      await expect(migrateDatabase(through)).rejects.toThrow('leads to a pooler')
      expect(await migrateDatabase({ ...through, url: stored.ownerUrl })).toEqual({ applied: [] })
    })

    test('a process that does not know of the pooler logs the variable to set', async () => {
      const logged: string[] = []
      const log = pino({}, { write: (line) => void logged.push(line) })
      const redis = { url: 'redis://localhost' }
      const database = { url: stored.url, poolMax: 2 }
      const pooled = pgbouncer.pooled(stored.url)
      await checkPooler({ redis, database }, log)
      await checkPooler({ redis, database: { ...database, url: pooled, directUrl: stored.url } }, log)
      expect(logged).toEqual([])
      await checkPooler({ redis, database: { ...database, url: pooled } }, log)
      expect(logged).toMatchObject([expect.stringContaining('set DATABASE_DIRECT_URL')])
    })

    test('a process whose queue would be behind the pooler ends with the variable to set', async () => {
      const env = { PATH: process.env.PATH ?? '', DATABASE_URL: pgbouncer.pooled(stored.url) }
      const worker = startProcess('worker', env)
      expect(await worker.ended).toMatchObject({ code: 1 })
      expect(worker.logged()).toMatchObject([
        { level: 60, msg: expect.stringContaining('set DATABASE_DIRECT_URL') },
      ])
    })
  },
)
