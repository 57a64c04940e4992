import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, describe, expect, test } from 'vitest'
import { queryRows } from '../../db/postgres/database.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { inForm, isLong } from '../support/faults/form.ts'
import { canMount, openSmallDisk } from '../support/faults/full-disk.ts'
import { openPostgresHouse } from '../support/faults/own-postgres.ts'
import { expectNotReady, expectQuiet, untilReady } from '../support/faults/readiness.ts'
import { type Storm, startStorm } from '../support/faults/storm.ts'
import { killProcesses } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

const OUTAGE_MS = inForm({ short: 3_000, long: 30_000 })

/** An answer to a Postgres that is away comes at once: so many milliseconds on a busy machine. */
const AT_ONCE_MS = 3_000

/** An answer while Postgres is there and does not answer, with some for a busy machine. */
const ANSWERED_MS = 14_000

/** The relay enqueues datasets again 15 s after a job that failed. */
const RELAYED_MS = 40_000

/** As many uploads as several of these tests at once can have on two cores. */
const startSomeStorm = (stack: TestStack, members?: () => Record<string, unknown>) =>
  startStorm(stack, {
    ...inForm({ short: { clients: 3, pauseMs: 50 }, long: { clients: 6, pauseMs: 30 } }),
    ...(members && { members }),
  })

/** An upload is refused as unavailable, with Retry-After, within so many milliseconds. */
async function expectRefused(stack: TestStack, withinMs: number): Promise<void> {
  const [url = ''] = stack.webUrls()
  const startedAt = performance.now()
  const answer = await upload(url, stack.tenant.uploaderKey, anUpload())
  expect([answer.status, answer.body.title]).toEqual([503, 'unavailable'])
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(performance.now() - startedAt).toBeLessThan(withinMs)
}

async function untilRefused(storm: Storm, more: number, ms: number): Promise<void> {
  const goal = storm.refused + more
  for (const deadline = performance.now() + ms; storm.refused < goal; await delay(20))
    if (performance.now() > deadline) throw new Error(`No upload was refused in ${ms} ms`)
}

/** All goes on by itself, and each upload that was answered 200 has its one insight. */
async function expectRecovered(stack: TestStack, storm: Storm, fault: string, kills = 1): Promise<void> {
  await storm.untilHeld(20, 30_000)
  await storm.end()
  if (!isLong) await stack.expireEnqueueTimeouts() // the long form waits for the relay, as it is
  await storm.expectHeld({ fault, kills, withinMs: RELAYED_MS })
}

/** Opens connections until so many are open or the server has no more. */
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

describe.concurrent('Postgres', { timeout: inForm({ short: 120_000, long: 300_000 }) }, () => {
  test(`killed for ${OUTAGE_MS / 1_000} s, again and again`, async () => {
    await using stack = await openPostgresHouse()
    const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const storm = await startSomeStorm(stack)
    const outages = inForm({ short: [3_000, 200], long: [30_000, 3_000, 200, 1_000, 10, 3_000] })
    for (const outageMs of outages) {
      await storm.untilHeld(20, 30_000)
      await stack.killPostgres()
      const backAt = performance.now() + outageMs
      await expectRefused(stack, AT_ONCE_MS)
      if (outageMs >= 3_000) await expectNotReady(web, 'postgres')
      while (performance.now() < backAt - 500) await expectRefused(stack, AT_ONCE_MS)
      await stack.startPostgres()
      await untilReady(web, 15_000)
    }
    await expectRecovered(stack, storm, `Postgres killed for ${OUTAGE_MS / 1_000} s`, outages.length)
    expect(storm.slowestMs).toBeLessThan(ANSWERED_MS)
    expectQuiet(web)
    expectQuiet(worker, 'relay', 'housekeeping')
  })

  test('all connections of its server taken by others', async () => {
    await using stack = await openPostgresHouse()
    const [web] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const storm = await startSomeStorm(stack)
    await storm.untilHeld(20, 30_000)
    const [rival] = await takeConnections(stack.serverUrl, 1)
    const taken: pg.Client[] = []
    const goal = storm.refused + inForm({ short: 5, long: 100 })
    for (
      const deadline = performance.now() + 40_000;
      storm.refused < goal && performance.now() < deadline;
    ) {
      await rival?.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'inkling'",
      )
      taken.push(...(await takeConnections(stack.serverUrl, 100)))
    }
    expect(taken.length).toBeGreaterThan(80)
    expect(storm.refused).toBeGreaterThanOrEqual(goal)
    await Promise.all([rival, ...taken].map((client) => client?.end()))
    await untilReady(web, 15_000)
    await expectRecovered(stack, storm, 'Postgres has no connection left')
    expect(storm.slowestMs).toBeLessThan(ANSWERED_MS)
  })

  test('silent: it takes all and answers nothing', async () => {
    await using stack = await startTestStack()
    const [web] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const storm = await startSomeStorm(stack)
    await storm.untilHeld(20)
    stack.postgres.freeze()
    await untilRefused(storm, 1, ANSWERED_MS)
    await expectRefused(stack, ANSWERED_MS)
    await delay(inForm({ short: 0, long: 30_000 }))
    await stack.postgres.restore()
    await untilReady(web, 15_000)
    await expectRecovered(stack, storm, 'Postgres takes all and answers nothing')
    expect(storm.slowestMs).toBeLessThan(ANSWERED_MS)
  })

  test('the pool of web exhausted: each of its connections waits for a lock', async () => {
    await using stack = await startTestStack()
    const [web] = await Promise.all([stack.startWeb({ DATABASE_POOL_MAX: '2' }), stack.startWorker()])
    const storm = await startSomeStorm(stack)
    await storm.untilHeld(20)
    const holds = inForm({ short: 1, long: 4 })
    for (let time = 0; time < holds; time++) {
      const rival = await connect(stack.databaseUrl)
      await rival.query('begin; lock table datasets in access exclusive mode')
      await untilRefused(storm, 2, ANSWERED_MS)
      await expectRefused(stack, ANSWERED_MS)
      await rival.query('rollback')
      await rival.end()
      await storm.untilHeld(10, 30_000)
    }
    await untilReady(web, 15_000)
    await expectRecovered(stack, storm, "web's pool of Postgres exhausted", holds)
    expect(storm.slowestMs).toBeLessThan(ANSWERED_MS)
  })

  test('a deadlock: another transaction locks the counters in the other order', async () => {
    await using stack = await startTestStack()
    await Promise.all([stack.startWeb(), stack.startWorker()])
    const storm = await startSomeStorm(stack)
    await storm.untilHeld(20)
    const rival = await connect(stack.databaseUrl)
    await rival.query("set deadlock_timeout = '60s'") // so that the worker is the one that is given up
    const countDeadlocks = async () =>
      Number(
        (await rival.query('select deadlocks from pg_stat_database where datname = current_database()'))
          .rows[0].deadlocks,
      )
    const wanted = inForm({ short: 2, long: 20 })
    for (const deadline = performance.now() + inForm({ short: 60_000, long: 200_000 }); ; ) {
      if ((await countDeadlocks()) >= wanted) break
      if (performance.now() > deadline) throw new Error('There was no deadlock')
      await rival.query('begin')
      await rival.query('select from clients order by datasets desc limit 2 for update')
      await delay(200) // for the worker to come to have the devices, and to wait for the clients
      await rival.query('select from devices order by datasets desc limit 2 for update')
      await rival.query('commit')
      await storm.untilHeld(1, 30_000)
    }
    await rival.end()
    await expectRecovered(stack, storm, 'a deadlock', wanted)
    expect(storm).toMatchObject({ refused: 0, broken: 0 })
  })
})

const mountable = await canMount()
if (!mountable)
  process.stdout.write('Only who may mount file systems, as root, can fill a disk: that test is skipped\n')

test.skipIf(!mountable)('Postgres, its disk full', { timeout: 120_000 }, async () => {
  await using disk = await openSmallDisk()
  await using stack = await startTestStack({ database: disk.database })
  const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
  const storm = await startSomeStorm(stack, aLoad)
  const times = inForm({ short: 1, long: 5 })
  for (let time = 0; time < times; time++) {
    await storm.untilHeld(20, 30_000)
    await disk.fill()
    await untilRefused(storm, 3, 30_000)
    await expectSomeRefused(stack)
    await delay(inForm({ short: 500, long: 5_000 }))
    await disk.clear()
  }
  await untilReady(web, 15_000)
  await expectRecovered(stack, storm, 'disk of Postgres full', times)
  expect(web.output()).toContain('No space left on device')
  expectQuiet(worker, 'relay', 'housekeeping')
  expect(await queryRows(stack.db, "select from datasets where status = 'invalid'")).toEqual([])
})

/** Some may still find room in a page that is there; those that don't are refused at once. */
async function expectSomeRefused(stack: TestStack): Promise<void> {
  const [url = ''] = stack.webUrls()
  const statuses = new Set<number>()
  for (let n = 0; n < 20; n++) {
    const startedAt = performance.now()
    statuses.add((await upload(url, stack.tenant.uploaderKey, anUpload(aCapture(aLoad())))).status)
    expect(performance.now() - startedAt).toBeLessThan(AT_ONCE_MS)
  }
  expect([...statuses].filter((status) => status !== 200)).toEqual([503])
}

/** What no compression makes smaller. */
const aLoad = () => ({ load: randomBytes(12_000).toString('base64') })
