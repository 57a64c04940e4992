import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { queryRows } from '../../db/postgres/database.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { canMount, openSmallDisk } from '../support/faults/full-disk.ts'
import { openPostgresStack } from '../support/faults/postgres-stack.ts'
import { expectNotReady, expectQuiet, untilReady } from '../support/faults/readiness.ts'
import { byLength, isLong } from '../support/faults/run-length.ts'
import { startUploadLoad, type UploadLoad } from '../support/faults/upload-load.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

const OUTAGE_MS = byLength({ short: 3_000, long: 30_000 })

/** Response time while Postgres is unavailable, on a busy machine. */
const IMMEDIATE_MS = 3_000

/** Response time while Postgres does not respond, with reserve for a busy machine. */
const MAX_RESPONSE_MS = 14_000

/** Datasets whose job was lost are enqueued again after 15 s. */
const RELAYED_MS = 40_000

/** Starts as much load as two cores sustain for several of these tests at once, and the tests of other files beside them. */
const startSomeLoad = (stack: TestStack, members?: () => Record<string, unknown>) =>
  startUploadLoad(stack, {
    ...byLength({ short: { clients: 3, pauseMs: 150 }, long: { clients: 6, pauseMs: 30 } }),
    ...(members && { members }),
  })

/** Expects an upload to be answered 503 with Retry-After within a time limit. */
async function expectUnavailable(stack: TestStack, withinMs: number): Promise<void> {
  const [url = ''] = stack.webUrls()
  const startedAt = performance.now()
  const answer = await upload(url, stack.tenant.uploaderKey, anUpload())
  expect([answer.status, answer.body.title]).toEqual([503, 'unavailable'])
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(performance.now() - startedAt).toBeLessThan(withinMs)
}

async function untilRejected(load: UploadLoad, more: number, ms: number): Promise<void> {
  const goal = load.rejected + more
  for (const deadline = performance.now() + ms; load.rejected < goal; await delay(20))
    if (performance.now() > deadline) throw new Error(`No upload was rejected in ${ms} ms`)
}

/** Expects processing to resume by itself, with exactly one insight for each upload that was answered 200. */
async function expectRecovered(stack: TestStack, load: UploadLoad, fault: string, kills = 1): Promise<void> {
  await load.untilAccepted(20, 30_000)
  await load.end()
  if (!isLong) await stack.expireEnqueueTimeouts() // the long run waits for the relay
  await load.expectProcessedOnce({ fault, kills, withinMs: RELAYED_MS })
}

/** Opens connections until `most` are open or the server has none left. */
async function takeConnections(url: string, most: number): Promise<pg.Client[]> {
  const taken: pg.Client[] = []
  try {
    while (taken.length < most) taken.push(await connect(url))
  } catch (error) {
    expect(error).toMatchObject({ code: '53300' })
  }
  return taken
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  return client
}

describe.concurrent('Postgres', { timeout: byLength({ short: 120_000, long: 300_000 }) }, () => {
  test(`killed repeatedly for ${OUTAGE_MS / 1_000} s`, async () => {
    await using stack = await openPostgresStack()
    const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const load = await startSomeLoad(stack)
    const outages = byLength({ short: [3_000, 200], long: [30_000, 3_000, 200, 1_000, 10, 3_000] })
    for (const outageMs of outages) {
      await load.untilAccepted(20, 30_000)
      await stack.killPostgres()
      const backAt = performance.now() + outageMs
      await expectUnavailable(stack, IMMEDIATE_MS)
      if (outageMs >= 3_000) await expectNotReady(web, 'postgres')
      for (; performance.now() < backAt - 500; await delay(50)) await expectUnavailable(stack, IMMEDIATE_MS)
      await stack.startPostgres()
      await untilReady(web, 15_000)
    }
    await expectRecovered(stack, load, `Postgres killed for ${OUTAGE_MS / 1_000} s`, outages.length)
    expect(load.slowestMs).toBeLessThan(MAX_RESPONSE_MS)
    expectQuiet(web)
    expectQuiet(worker, 'relay', 'housekeeping')
  })

  test('all connections of its server used by other clients', async () => {
    await using stack = await openPostgresStack()
    const [web] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const load = await startSomeLoad(stack)
    await load.untilAccepted(20, 30_000)
    const [rival] = await takeConnections(stack.serverUrl, 1)
    const taken: pg.Client[] = []
    const goal = load.rejected + byLength({ short: 5, long: 100 })
    for (
      const deadline = performance.now() + 40_000;
      load.rejected < goal && performance.now() < deadline;
    ) {
      await rival?.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'inkling %'",
      )
      taken.push(...(await takeConnections(stack.serverUrl, 100)))
    }
    expect(taken.length).toBeGreaterThan(80)
    expect(load.rejected).toBeGreaterThanOrEqual(goal)
    await Promise.all([rival, ...taken].map((client) => client?.end()))
    await untilReady(web, 15_000)
    await expectRecovered(stack, load, 'Postgres has no connection left')
    expect(load.slowestMs).toBeLessThan(MAX_RESPONSE_MS)
  })

  test('does not respond', async () => {
    await using stack = await startTestStack()
    const [web] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const load = await startSomeLoad(stack)
    await load.untilAccepted(20)
    stack.postgres.freeze()
    await untilRejected(load, 1, MAX_RESPONSE_MS)
    await expectUnavailable(stack, MAX_RESPONSE_MS)
    await delay(byLength({ short: 0, long: 30_000 }))
    await stack.postgres.restore()
    await untilReady(web, 15_000)
    await expectRecovered(stack, load, 'Postgres does not respond')
    expect(load.slowestMs).toBeLessThan(MAX_RESPONSE_MS)
  })

  test("web's connection pool exhausted: all connections wait for a lock", async () => {
    await using stack = await startTestStack()
    const [web] = await Promise.all([stack.startWeb({ DATABASE_POOL_MAX: '2' }), stack.startWorker()])
    const load = await startSomeLoad(stack)
    await load.untilAccepted(20)
    const holds = byLength({ short: 1, long: 4 })
    for (let time = 0; time < holds; time++) {
      const rival = await connect(stack.databaseUrl)
      await rival.query('begin; lock table datasets in access exclusive mode')
      await untilRejected(load, 2, MAX_RESPONSE_MS)
      await expectUnavailable(stack, MAX_RESPONSE_MS)
      await rival.query('rollback')
      await rival.end()
      await load.untilAccepted(10, 30_000)
    }
    await untilReady(web, 15_000)
    await expectRecovered(stack, load, "web's pool of Postgres exhausted", holds)
    expect(load.slowestMs).toBeLessThan(MAX_RESPONSE_MS)
  })

  test('a deadlock: another transaction locks the counters in the other order', async () => {
    await using stack = await startTestStack()
    await Promise.all([stack.startWeb(), stack.startWorker()])
    const load = await startSomeLoad(stack)
    await load.untilAccepted(20)
    const rival = await connect(stack.ownerUrl)
    await rival.query("set deadlock_timeout = '60s'") // so that Postgres aborts the worker's transaction
    const countDeadlocks = async () =>
      Number(
        (await rival.query('select deadlocks from pg_stat_database where datname = current_database()'))
          .rows[0].deadlocks,
      )
    const wanted = byLength({ short: 2, long: 20 })
    for (const deadline = performance.now() + byLength({ short: 60_000, long: 200_000 }); ; ) {
      if ((await countDeadlocks()) >= wanted) break
      if (performance.now() > deadline) throw new Error('No deadlock occurred')
      await rival.query('begin')
      await rival.query('select from clients order by datasets desc limit 2 for update')
      await delay(200) // until the worker has locked the devices and waits for the clients
      await rival.query('select from devices order by datasets desc limit 2 for update')
      await rival.query('commit')
      await load.untilAccepted(1, 30_000)
    }
    await rival.end()
    await expectRecovered(stack, load, 'a deadlock', wanted)
    expect(load).toMatchObject({ rejected: 0, disconnected: 0 })
  })
})

const mountable = await canMount()
if (!mountable)
  process.stdout.write('The test with a full disk is skipped: it requires the right to mount file systems\n')

test.skipIf(!mountable)('Postgres with a full disk', { timeout: 120_000 }, async () => {
  await using disk = await openSmallDisk()
  await using stack = await startTestStack({ database: disk.database })
  const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
  const load = await startSomeLoad(stack, aPayload)
  const times = byLength({ short: 1, long: 5 })
  for (let time = 0; time < times; time++) {
    await load.untilAccepted(20, 30_000)
    await disk.fill()
    await untilRejected(load, 3, 30_000)
    await expectSomeUnavailable(stack)
    await delay(byLength({ short: 500, long: 5_000 }))
    await disk.clear()
  }
  await untilReady(web, 15_000)
  await expectRecovered(stack, load, 'disk of Postgres full', times)
  expect(web.output()).toContain('No space left on device')
  expectQuiet(worker, 'relay', 'housekeeping')
  expect(await queryRows(stack.db, "select from datasets where status = 'invalid'")).toEqual([])
})

/** Expects 503 for uploads that find no space; some may still fit in an existing page. */
async function expectSomeUnavailable(stack: TestStack): Promise<void> {
  const [url = ''] = stack.webUrls()
  const statuses = new Set<number>()
  for (let n = 0; n < 20; n++) {
    const startedAt = performance.now()
    statuses.add((await upload(url, stack.tenant.uploaderKey, anUpload(aCapture(aPayload())))).status)
    expect(performance.now() - startedAt).toBeLessThan(IMMEDIATE_MS)
  }
  expect([...statuses].filter((status) => status !== 200)).toEqual([503])
}

/** Incompressible data. */
const aPayload = () => ({ load: randomBytes(12_000).toString('base64') })
