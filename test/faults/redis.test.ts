import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { readByCode, upload } from '../support/client.ts'
import { inForm, isLong } from '../support/faults/form.ts'
import { openRedisHouse, type RedisHouse } from '../support/faults/own-redis.ts'
import { expectNotReady, expectQuiet, untilReady } from '../support/faults/readiness.ts'
import { type Storm, startStorm } from '../support/faults/storm.ts'
import { killProcesses, type StartedProcess } from '../support/start-process.ts'

afterAll(killProcesses)

/** From when Redis is back: the relay itself, without any help. */
const DRAINED_MS = 30_000

const OUTAGE_MS = inForm({ short: 3_000, long: 30_000 })

/** As many uploads as several of these tests at once can have on two cores. */
const startSomeStorm = (stack: RedisHouse) =>
  startStorm(stack, inForm({ short: { clients: 3, pauseMs: 50 }, long: { clients: 6, pauseMs: 30 } }))

/** The storm goes on for so long, and no upload is refused or waits for Redis. */
async function expectUntouched(storm: Storm, ms: number): Promise<void> {
  const before = storm.held
  await delay(ms)
  expect(storm.held).toBeGreaterThan(before)
  expect(storm).toMatchObject({ refused: 0, broken: 0 })
  expect(storm.slowestMs).toBeLessThan(5_000)
}

/** Redis is back and so is everything else: what waits drains within 30 s, and bells are heard again. */
async function expectRecovered(
  stack: RedisHouse,
  storm: Storm,
  { fault, kills = 1 }: { fault: string; kills?: number },
): Promise<void> {
  const backAt = performance.now()
  await delay(1_000)
  await storm.end()
  await storm.expectHeld({ fault, kills, withinMs: DRAINED_MS - (performance.now() - backAt) })
  await expectHeard(stack)
}

/** A new upload is processed by its own job: for the relay it would wait 15 s. */
async function expectHeard({ webUrls, tenant }: RedisHouse): Promise<void> {
  const [url = ''] = webUrls()
  const body = anUpload()
  const startedAt = performance.now()
  expect((await upload(url, tenant.uploaderKey, body)).status).toBe(200)
  expect((await readByCode(url, tenant.requesterKey, body.referenceNumber)).status).toBe(200)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
}

describe.concurrent('Redis', { timeout: 150_000 }, () => {
  const outage = `${OUTAGE_MS / 1_000} s`

  type Outage = [
    fault: string,
    takeAway: (h: RedisHouse) => unknown,
    bringBack: (h: RedisHouse) => Promise<void>,
  ]
  const OUTAGES: Outage[] = [
    [`Redis killed for ${outage}, back without its data`, (h) => h.killRedis(), (h) => h.startRedis()],
    [`Redis takes all and answers nothing for ${outage}`, (h) => h.redis.freeze(), (h) => h.redis.restore()],
  ]
  if (isLong)
    OUTAGES.push([
      `Redis out of reach for ${outage}, back with its data`,
      (h) => h.redis.cut(),
      (h) => h.redis.restore(),
    ])

  test.each(OUTAGES)(
    '%s: uploads are held all the same, and drained within 30 s after it',
    async (fault, takeAway, bringBack) => {
      await using stack = await openRedisHouse()
      const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
      const storm = await startSomeStorm(stack)
      await storm.untilHeld(20)
      await takeAway(stack)
      await expectNotReady(web, 'queue')
      await expectUntouched(storm, OUTAGE_MS)
      await bringBack(stack)
      await expectRecovered(stack, storm, { fault })
      await untilReady(web, 5_000)
      expectQuiet(web, 'queue connection', 'could not enqueue; the relay will')
      expectQuiet(worker, 'queue connection', 'worker', 'relay')
    },
  )

  test('down at the start of web and worker: both start, and work once it is there', async () => {
    await using stack = await openRedisHouse()
    await stack.killRedis()
    const [web] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const storm = await startSomeStorm(stack)
    await expectNotReady(web, 'queue')
    await expectUntouched(storm, OUTAGE_MS)
    await stack.startRedis()
    await expectRecovered(stack, storm, { fault: 'Redis down at the start of web and worker' })
  })

  test('flushed in the middle of a storm, again and again: nothing is lost', async () => {
    await using stack = await openRedisHouse()
    await Promise.all([stack.startWeb(), stack.startWorker({ WORKER_CONCURRENCY: '1' })])
    const storm = await startSomeStorm(stack)
    const kills = inForm({ short: 5, long: 50 })
    for (let time = 0; time < kills; time++) {
      await storm.untilHeld(15)
      await stack.command('flushall')
    }
    expect(storm).toMatchObject({ refused: 0, broken: 0 })
    await expectRecovered(stack, storm, { fault: 'FLUSHALL', kills })
  })

  test.runIf(isLong)('connections that went dead without a word are given up within 15 s', async () => {
    await using stack = await openRedisHouse()
    const [web] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const storm = await startSomeStorm(stack)
    await storm.untilHeld(20)
    stack.redis.abandon()
    await expectUntouched(storm, 1_000)
    await untilReady(web, 25_000)
    await expectRecovered(stack, storm, { fault: 'connections to Redis dead without a word' })
  })

  test('full: jobs are refused, uploads are not', async () => {
    await using stack = await openRedisHouse()
    const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const storm = await startSomeStorm(stack)
    await storm.untilHeld(20)
    await stack.command('config', 'set', 'maxmemory', '1')
    await expectNotReady(web, 'queue')
    await expectUntouched(storm, OUTAGE_MS)
    await stack.command('config', 'set', 'maxmemory', '0')
    await expectRecovered(stack, storm, { fault: `Redis full for ${outage}` })
    expectQuiet(web, 'queue connection', 'could not enqueue; the relay will')
    expectQuiet(worker, 'queue connection', 'worker', 'relay')
  })

  test('evicting under pressure: web and worker warn of it at their start, and nothing is lost', async () => {
    await using stack = await openRedisHouse()
    await stack.command('config', 'set', 'maxmemory-policy', 'allkeys-lru')
    const processes: StartedProcess[] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const storm = await startSomeStorm(stack)
    await storm.untilHeld(20)
    const used = /used_memory:(\d+)/.exec(String(await stack.command('info', 'memory')))?.[1]
    await stack.command('config', 'set', 'maxmemory', Number(used) + 300_000)
    const pressUntil = performance.now() + OUTAGE_MS
    for (let key = 0; performance.now() < pressUntil; key++)
      await stack.command('set', `pressure:${key}`, 'x'.repeat(20_000))
    const evicted = /evicted_keys:(\d+)/.exec(String(await stack.command('info', 'stats')))?.[1]
    expect(Number(evicted)).toBeGreaterThan(10)
    expect(storm).toMatchObject({ refused: 0, broken: 0 })
    await stack.command('config', 'set', 'maxmemory', '0')
    await storm.end()
    if (!isLong) await stack.expireEnqueueTimeouts()
    await storm.expectHeld({ fault: 'Redis evicts jobs', withinMs: 90_000 })
    await expectHeard(stack)
    for (const process of processes) {
      expectQuiet(process)
      const warnings = process
        .logged()
        .filter((entry) => JSON.stringify(entry.err)?.includes('EvictionWarning'))
      const message = expect.stringContaining('maxmemory-policy is allkeys-lru. Set it to noeviction')
      expect(warnings).toEqual([
        expect.objectContaining({ level: 40, err: expect.objectContaining({ message }) }),
      ])
    }
  })
})
