import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, test } from 'vitest'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { startRedis } from '../../scripts/processes/start-redis.ts'
import { anUpload } from '../captures.ts'
import { type Answer, call, readByCode, upload } from '../client.ts'
import { type House, openHouse } from '../open-house.ts'
import { BACKENDS, type Backend } from '../service.ts'
import { killProcesses, startProcess, type WebProcess } from '../start-process.ts'

const DRAIN_MS = 5_000

afterAll(killProcesses)

/** Uploads some datasets one after another, each answered within so many milliseconds. */
async function uploadSome(
  web: WebProcess,
  { tenant }: House,
  { count = 20, withinMs = 1_000 } = {},
): Promise<Answer[]> {
  const answers: Answer[] = []
  for (let n = 0; n < count; n++) {
    const startedAt = performance.now()
    answers.push(await upload(web.url, tenant.uploaderKey, anUpload()))
    expect(performance.now() - startedAt).toBeLessThan(withinMs)
  }
  return answers
}

const statusesOf = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))]

/** Resolves when web says that it is ready. */
async function untilReady(web: WebProcess, ms: number): Promise<void> {
  for (const deadline = performance.now() + ms; ; await delay(50)) {
    const { status, body } = await call(web.url, 'GET', '/readyz')
    if (status === 200) return
    if (performance.now() > deadline) throw new Error(`Not ready after ${ms} ms: ${JSON.stringify(body)}`)
  }
}

/** Web lives, and says which stores it misses. */
async function expectNotReady(web: WebProcess, ...missing: string[]): Promise<void> {
  expect((await call(web.url, 'GET', '/healthz')).status).toBe(200)
  const { status, body } = await call(web.url, 'GET', '/readyz')
  expect(status).toBe(503)
  expect(Object.keys(body.errors)).toEqual(missing)
}

/** Nothing but log entries, and few that tell of the same. */
function expectQuiet(process: { output(): string; logged: WebProcess['logged'] }, message: string): void {
  const lines = process.output().trimEnd().split('\n')
  expect(lines.filter((line) => !line.startsWith('{'))).toEqual([])
  expect(process.logged().filter(({ msg }) => msg === message).length).toBeLessThanOrEqual(3)
}

describe.concurrent('with Redis away', { timeout: 60_000 }, () => {
  test('uploads are answered at once all the same, and processed when it is back', async () => {
    await using house = await openHouse()
    const [web, worker] = await Promise.all([house.startWeb(), house.startWorker()])
    expect(statusesOf(await uploadSome(web, house, { count: 3 }))).toEqual([200])
    await house.untilProcessed(5_000)

    await house.redis.cut()
    expect(statusesOf(await uploadSome(web, house))).toEqual([200])
    await expectNotReady(web, 'queue')
    await delay(3_000)
    expect(statusesOf(await uploadSome(web, house))).toEqual([200])
    expect(await house.countWaiting()).toBe(40)

    await house.redis.restore()
    await untilReady(web, 5_000)
    await house.endPatience()
    await house.untilProcessed(10_000)
    const body = anUpload()
    await upload(web.url, house.tenant.uploaderKey, body)
    expect((await readByCode(web.url, house.tenant.requesterKey, body.referenceNumber)).status).toBe(200)
    expectQuiet(web, 'queue connection')
    for (const message of ['queue connection', 'worker', 'relay']) expectQuiet(worker, message)
  })

  test('web and worker start, and work once it is there', async () => {
    await using house = await openHouse()
    await house.redis.cut()
    const [web] = await Promise.all([house.startWeb(), house.startWorker()])
    expect(statusesOf(await uploadSome(web, house))).toEqual([200])
    await expectNotReady(web, 'queue')
    await delay(2_000)
    await house.redis.restore()
    await untilReady(web, 5_000)
    await house.endPatience()
    await house.untilProcessed(10_000)
    await uploadSome(web, house, { count: 3 })
    await house.untilProcessed(5_000) // by their own jobs: the relay would wait longer
  })

  test('nothing is lost when another one, which is empty, takes its place, or all in it is flushed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'inkling-redis-'))
    const servers = await Promise.all(
      ['one', 'other'].map((name) => startRedis({ directory, log: join(directory, `${name}.log`) })),
    )
    try {
      const [one, other] = servers
      await using house = await openHouse({ redisUrl: one?.url ?? '' })
      const web = await house.startWeb()
      expect(statusesOf(await uploadSome(web, house))).toEqual([200])
      const worker = await house.startWorker() // it runs into the end of the first Redis
      await one?.kill()
      expect(statusesOf(await uploadSome(web, house))).toEqual([200])
      await house.redis.restore(other?.url)
      await untilReady(web, 5_000)
      await house.endPatience()
      await house.untilProcessed(10_000)

      await worker.end('SIGTERM')
      await uploadSome(web, house, { count: 10 })
      const redis = new Redis(other?.url ?? '')
      await redis.flushall()
      redis.disconnect()
      await house.startWorker()
      await uploadSome(web, house, { count: 10 })
      await house.endPatience()
      await house.untilProcessed(10_000)
    } finally {
      await Promise.all(servers.map((server) => server.kill()))
      await rm(directory, { recursive: true, force: true })
    }
  })

  test('uploads are answered at once while it takes all and answers nothing', async () => {
    await using house = await openHouse()
    const [web] = await Promise.all([house.startWeb(), house.startWorker()])
    await uploadSome(web, house, { count: 3 })
    house.redis.freeze()
    expect(statusesOf(await uploadSome(web, house))).toEqual([200])
    await expectNotReady(web, 'queue')
    await house.redis.restore()
    await untilReady(web, 5_000)
    await house.endPatience()
    await house.untilProcessed(10_000)
  })

  test('connections that went dead without a word are given up within 15 s', async () => {
    await using house = await openHouse()
    const [web] = await Promise.all([house.startWeb(), house.startWorker()])
    await uploadSome(web, house, { count: 3 })
    await house.untilProcessed(5_000)
    house.redis.abandon()
    expect(statusesOf(await uploadSome(web, house, { count: 3 }))).toEqual([200])
    await untilReady(web, 25_000)
    await house.endPatience()
    await house.untilProcessed(25_000)
  })
})

describe.concurrent.each(BACKENDS)(
  'with Postgres away and the queue on %s',
  { timeout: 60_000 },
  (backend) => {
    test('uploads and reads are refused as unavailable, soon, and work when it is back', async () => {
      await using house = await openHouse({ backend })
      const [web] = await Promise.all([house.startWeb(), house.startWorker()])
      const body = anUpload()
      await upload(web.url, house.tenant.uploaderKey, body)
      await house.untilProcessed(5_000)

      await house.postgres.cut()
      const refused = await uploadSome(web, house, { count: 10, withinMs: 3_000 })
      refused.push(await readByCode(web.url, house.tenant.requesterKey, body.referenceNumber))
      for (const answer of refused) {
        expect(answer).toMatchObject({ status: 503, body: { title: 'unavailable' } })
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      await expectNotReady(web, ...(backend === 'postgres' ? ['postgres', 'queue'] : ['postgres']))
      await delay(2_000)

      await house.postgres.restore()
      await untilReady(web, 5_000)
      expect(statusesOf(await uploadSome(web, house))).toEqual([200])
      expect((await readByCode(web.url, house.tenant.requesterKey, body.referenceNumber)).status).toBe(200)
      await house.endPatience()
      await house.untilProcessed(15_000)
    })
  },
)

describe.concurrent('with Postgres away at the start', { timeout: 60_000 }, () => {
  test('web ends with a sentence where TOKEN_SIGNING_KEYS is not set', async () => {
    await using house = await openHouse()
    await house.postgres.cut()
    const web = startProcess('web', { ...house.env, TOKEN_SIGNING_KEYS: '' })
    expect(await web.ended).toMatchObject({ code: 1 })
    expect(web.logged().at(-1)).toMatchObject({
      level: 60,
      msg: 'The keys that sign tokens are in the database, which is away: set TOKEN_SIGNING_KEYS',
    })
  })

  test.each(BACKENDS)(
    'web and worker start with the queue on %s, and work once it is there',
    async (backend) => {
      await using house = await openHouse({ backend })
      await house.postgres.cut()
      const TOKEN_SIGNING_KEYS = JSON.stringify({ keys: [await makeSigningKey()] })
      const [web] = await Promise.all([house.startWeb({ TOKEN_SIGNING_KEYS }), house.startWorker()])
      expect(statusesOf(await uploadSome(web, house, { withinMs: 3_000 }))).toEqual([503])
      await house.postgres.restore()
      await untilReady(web, 5_000)
      expect(statusesOf(await uploadSome(web, house))).toEqual([200])
      await house.untilProcessed(10_000)
    },
  )
})

describe.concurrent('web and worker end within DRAIN_SECONDS', { timeout: 60_000 }, () => {
  const CASES: [
    name: string,
    takeAway: (house: House) => unknown,
    backend: Backend,
    end: { code?: number },
  ][] = [
    ['Redis is away', (house) => house.redis.cut(), 'redis', { code: 0 }],
    ['Redis takes all and answers nothing', (house) => house.redis.freeze(), 'redis', { code: 0 }],
    ['Postgres is away', (house) => house.postgres.cut(), 'redis', { code: 0 }],
    ['Postgres is away, and the queue with it', (house) => house.postgres.cut(), 'postgres', { code: 0 }],
    ['Postgres takes all and answers nothing', (house) => house.postgres.freeze(), 'redis', {}],
  ]

  test.each(CASES)('when %s', async (_name, takeAway, backend, end) => {
    await using house = await openHouse({ backend })
    const processes = await Promise.all([house.startWeb(), house.startWorker()])
    const [web] = processes
    await uploadSome(web, house, { count: 3 })
    await takeAway(house)
    await delay(500)
    for (const ending of await Promise.all(processes.map((process) => process.end('SIGTERM')))) {
      expect(ending).toMatchObject({ signal: null, ...end })
      expect(ending.ms).toBeLessThan(DRAIN_MS + 500)
    }
  })
})
