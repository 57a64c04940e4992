import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import { queryRows } from '../../db/postgres/database.ts'
import { openProducer } from '../../db/queue/producer.ts'
import { inForm, isLong } from '../support/faults/form.ts'
import { openRedisHouse } from '../support/faults/own-redis.ts'
import { startStorm } from '../support/faults/storm.ts'
import { BACKENDS } from '../support/service.ts'
import { killProcesses, type StartedProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

/** Enqueues all waiting datasets, in jobs of so many datasets. */
async function enqueueAll(stack: TestStack, jobs: { of: number; backwards?: boolean }[]) {
  const { DATABASE_URL: url = '', REDIS_URL: redis } = stack.env
  const producer = openProducer({
    database: { url, poolMax: 2 },
    redis: redis === undefined ? undefined : { url: redis },
  })
  const keys = await queryRows<DatasetKey>(
    stack.db,
    'select subscription_id as "subscriptionId", id from datasets where ring_at is not null order by id',
  )
  for (const { of, backwards = false } of jobs) {
    const ordered = backwards ? keys.toReversed() : keys
    for (let at = 0; at < keys.length; at += of) await producer.enqueue(ordered.slice(at, at + of))
  }
  await producer.close()
}

/** A capture that takes a while to decode. */
const aLongCapture = (entries: number) => () => ({
  apps: Array.from({ length: 500 }, (_, n) => ({ package: `com.example.app${n}`, system: n % 2 === 0 })),
  unknown: Array.from({ length: entries }, (_, n) => n),
})

/** Returns the log entries of the batches in which a dataset still waited when the worker started them. */
const listBatches = (worker: StartedProcess) => worker.logged().filter(({ msg }) => msg === 'batch')

describe.concurrent.each(BACKENDS)('with the queue on %s', { timeout: 180_000 }, (backend) => {
  test('every job delivered three times, to two workers: each dataset is counted once', async () => {
    await using stack = await startTestStack({ backend })
    await stack.startWeb()
    const storm = await startStorm(stack)
    await storm.untilHeld(inForm({ short: 100, long: 1_000 }), 60_000)
    await storm.end()
    await enqueueAll(stack, [{ of: 7 }, { of: 11, backwards: true }])
    const workers = await Promise.all([stack.startWorker(), stack.startWorker()])
    await storm.expectHeld({
      fault: `every job delivered three times, queue on ${backend}`,
      kills: storm.held * 2,
      withinMs: 60_000,
    })
    for (const worker of workers) expect(listBatches(worker).length).toBeGreaterThan(0)
  })
})

describe('a lock', { timeout: inForm({ short: 90_000, long: 300_000 }) }, () => {
  test('that a worker loses while it decodes, for it stood still: another one does its work, once', async () => {
    await using stack = await openRedisHouse()
    const web = await stack.startWeb()
    const storm = await startStorm(stack, { clients: 3, members: aLongCapture(20_000) })
    await stack.redis.cut() // so that no job is there but the ones below
    await storm.untilHeld(60)
    await storm.end()
    await web.end('SIGKILL')
    await stack.redis.restore()
    await enqueueAll(stack, [{ of: 1_000 }])

    const still = await stack.startWorker({ WORKER_CONCURRENCY: '1' })
    const isDecoding = async () => {
      const asked = await queryRows(
        stack.db,
        "select pid from pg_stat_activity where datname = current_database() and query ~ 'from (scorecards|fragments)'",
      )
      expect(asked.length).toBeGreaterThan(0) // for what it needs when it has decoded
    }
    await vi.waitFor(isDecoding, { timeout: 20_000, interval: 10 })
    still.send('SIGSTOP')
    const listLocks = async () => (await stack.command('keys', 'bull:datasets:*:lock')) as string[]
    const locks = await listLocks()
    expect(locks).toHaveLength(1)
    expect(await stack.countWaiting()).toBe(storm.held)

    await stack.startWorker()
    await enqueueAll(stack, [{ of: 13 }])
    await stack.untilProcessed(30_000)
    // the lock ends after 30 s; the short form ends it now
    if (!isLong) await stack.command('del', ...locks)
    const isFree = async () => expect(await listLocks()).not.toContain(locks[0])
    await vi.waitFor(isFree, { timeout: 40_000, interval: 100 })
    still.send('SIGCONT')
    const isLost = () => {
      const errors = still.logged().filter(({ msg }) => msg === 'worker')
      expect(JSON.stringify(errors)).toMatch(/lock|Missing key/i)
    }
    await vi.waitFor(isLost, { timeout: 60_000, interval: 50 })
    // after a minute it has lost its connections too, and has nothing to tell
    if (!isLong) expect(await still.waitForLog('batch')).toMatchObject({ ready: 0, invalid: 0, failed: 0 })
    await storm.expectHeld({ fault: 'lock lost while a batch was decoded', withinMs: 10_000 })
  })

  test.runIf(isLong).each(BACKENDS)(
    'of a worker that stands still for a minute, with the queue on %s: what it had goes to another one',
    async (backend) => {
      await using stack = await startTestStack({ backend })
      await stack.startWeb()
      const workers = await Promise.all([stack.startWorker(), stack.startWorker()])
      const storm = await startStorm(stack, { clients: 3, pauseMs: 100, members: aLongCapture(2_000) })
      await storm.untilHeld(100)
      workers[0]?.send('SIGSTOP')
      await delay(60_000)
      workers[0]?.send('SIGCONT')
      await storm.untilHeld(100)
      await storm.end()
      await storm.expectHeld({ fault: `worker stands still for 60 s, queue on ${backend}`, withinMs: 60_000 })
    },
  )

  test.runIf(isLong)(
    'is kept by a batch that takes longer than the lock lasts, on a machine that is starved',
    async () => {
      await using stack = await openRedisHouse()
      const web = await stack.startWeb()
      const storm = await startStorm(stack, { clients: 2, members: aLongCapture(200_000) })
      await stack.redis.cut()
      await storm.untilHeld(100, 120_000)
      await storm.end()
      await web.end('SIGKILL')
      await stack.redis.restore()
      await stack.db.raw(
        "update datasets set ring_at = now() + interval '10 minutes' where ring_at is not null",
      )
      await stack.command('set', 'inkling:memory', '1') // so that the relay does not enqueue as well
      const starved = await stack.startWorker()
      await enqueueAll(stack, [{ of: 1_000 }])
      const other = await stack.startWorker()
      // it gets 50 ms of each second: 1.8 s until its lock would have ended, for which it needs more
      for (let second = 0; second < 35; second++) {
        starved.send('SIGSTOP')
        await delay(950)
        starved.send('SIGCONT')
        await delay(50)
      }
      await storm.expectHeld({ fault: 'batch that takes longer than its lock', withinMs: 60_000 })
      await starved.waitForLog('batch')
      expect(Math.max(...listBatches(starved).map(({ ms }) => Number(ms)))).toBeGreaterThan(31_000)
      for (const worker of [starved, other])
        expect(worker.logged().filter(({ msg }) => msg === 'worker')).toEqual([])
    },
  )
})
