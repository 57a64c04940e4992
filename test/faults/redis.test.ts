import { afterAll, describe, expect, test } from 'vitest'
import { expectNotReady, expectQuiet, untilReady } from '../support/faults/readiness.ts'
import {
  expectEnqueued,
  expectRecovered,
  expectUnaffected,
  startSomeLoad,
} from '../support/faults/redis-recovery.ts'
import { openRedisStack, type RedisStack } from '../support/faults/redis-stack.ts'
import { byLength, isLong } from '../support/faults/run-length.ts'
import { killProcesses, type StartedProcess } from '../support/start-process.ts'

afterAll(killProcesses)

const OUTAGE_MS = byLength({ short: 3_000, long: 30_000 })

describe.concurrent('Redis', { timeout: 150_000 }, () => {
  const outage = `${OUTAGE_MS / 1_000} s`

  type Outage = [
    fault: string,
    disrupt: (h: RedisStack) => unknown,
    recover: (h: RedisStack) => Promise<void>,
  ]
  const OUTAGES: Outage[] = [
    [`Redis killed for ${outage}, back without its data`, (h) => h.killRedis(), (h) => h.startRedis()],
    [`Redis does not respond for ${outage}`, (h) => h.redis.freeze(), (h) => h.redis.restore()],
  ]
  if (isLong)
    OUTAGES.push([
      `Redis unreachable for ${outage}, back with its data`,
      (h) => h.redis.cut(),
      (h) => h.redis.restore(),
    ])

  test.each(OUTAGES)(
    '%s: uploads are accepted, and drained within 30 s of its return',
    async (fault, disrupt, recover) => {
      await using stack = await openRedisStack()
      const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
      const load = await startSomeLoad(stack)
      await load.untilAccepted(20)
      await disrupt(stack)
      await expectNotReady(web, 'queue')
      await expectUnaffected(load, OUTAGE_MS)
      await recover(stack)
      await expectRecovered(stack, load, { fault })
      await untilReady(web, 5_000)
      expectQuiet(web, 'queue connection', 'could not enqueue; the relay will')
      expectQuiet(worker, 'queue connection', 'worker', 'relay')
    },
  )

  test('down at the start of web and worker: both start, and work once it is available', async () => {
    await using stack = await openRedisStack()
    await stack.killRedis()
    const [web] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const load = await startSomeLoad(stack)
    await expectNotReady(web, 'queue')
    await expectUnaffected(load, OUTAGE_MS)
    await stack.startRedis()
    await expectRecovered(stack, load, { fault: 'Redis down at the start of web and worker' })
  })

  test('flushed repeatedly under load: nothing is lost', async () => {
    await using stack = await openRedisStack()
    await Promise.all([stack.startWeb(), stack.startWorker({ WORKER_CONCURRENCY: '1' })])
    const load = await startSomeLoad(stack)
    const kills = byLength({ short: 5, long: 50 })
    for (let time = 0; time < kills; time++) {
      await load.untilAccepted(15)
      await stack.command('flushall')
    }
    expect(load).toMatchObject({ rejected: 0, disconnected: 0 })
    await expectRecovered(stack, load, { fault: 'FLUSHALL', kills })
  })

  test.runIf(isLong)('silently dead connections are closed within 15 s', async () => {
    await using stack = await openRedisStack()
    const [web] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const load = await startSomeLoad(stack)
    await load.untilAccepted(20)
    stack.redis.abandon()
    await expectUnaffected(load, 1_000)
    await untilReady(web, 25_000)
    await expectRecovered(stack, load, { fault: 'connections to Redis silently dead' })
  })

  test('full: jobs are rejected, uploads are accepted', async () => {
    await using stack = await openRedisStack()
    const [web, worker] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const load = await startSomeLoad(stack)
    await load.untilAccepted(20)
    await stack.command('config', 'set', 'maxmemory', '1')
    await expectNotReady(web, 'queue')
    await expectUnaffected(load, OUTAGE_MS)
    await stack.command('config', 'set', 'maxmemory', '0')
    await expectRecovered(stack, load, { fault: `Redis full for ${outage}` })
    expectQuiet(web, 'queue connection', 'could not enqueue; the relay will')
    expectQuiet(worker, 'queue connection', 'worker', 'relay')
  })

  test('evicting under memory pressure: web and worker warn about it at start, and nothing is lost', async () => {
    await using stack = await openRedisStack()
    await stack.command('config', 'set', 'maxmemory-policy', 'allkeys-lru')
    const processes: StartedProcess[] = await Promise.all([stack.startWeb(), stack.startWorker()])
    const load = await startSomeLoad(stack)
    await load.untilAccepted(20)
    const used = /used_memory:(\d+)/.exec(String(await stack.command('info', 'memory')))?.[1]
    await stack.command('config', 'set', 'maxmemory', Number(used) + 300_000)
    const pressUntil = performance.now() + OUTAGE_MS
    for (let key = 0; performance.now() < pressUntil; key++)
      await stack.command('set', `pressure:${key}`, 'x'.repeat(20_000))
    const evicted = /evicted_keys:(\d+)/.exec(String(await stack.command('info', 'stats')))?.[1]
    expect(Number(evicted)).toBeGreaterThan(10)
    expect(load).toMatchObject({ rejected: 0, disconnected: 0 })
    await stack.command('config', 'set', 'maxmemory', '0')
    await load.end()
    if (!isLong) await stack.expireEnqueueTimeouts()
    await load.expectProcessedOnce({ fault: 'Redis evicts jobs', withinMs: 90_000 })
    await expectEnqueued(stack)
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
