import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test, vi } from 'vitest'
import type { DatasetKey } from '../../db/datasets/dataset-key.ts'
import { queryRows } from '../../db/postgres/database.ts'
import { openProducer } from '../../db/queue/producer.ts'
import { openRedisStack } from '../support/faults/redis-stack.ts'
import { byLength, isLong } from '../support/faults/run-length.ts'
import { startUploadLoad } from '../support/faults/upload-load.ts'
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

/** A capture that takes long to decode. */
const aSlowCapture = (entries: number) => () => ({
  apps: Array.from({ length: 500 }, (_, n) => ({ package: `com.example.app${n}`, system: n % 2 === 0 })),
  unknown: Array.from({ length: entries }, (_, n) => n),
})

/** Returns the log entries of the batches in which a dataset still waited when the worker started them. */
const listBatches = (worker: StartedProcess) => worker.logged().filter(({ msg }) => msg === 'batch')

describe.concurrent.each(BACKENDS)('with the queue on %s', { timeout: 180_000 }, (backend) => {
  test('every job delivered three times, to two workers: each dataset is counted once', async () => {
    await using stack = await startTestStack({ backend })
    await stack.startWeb()
    const load = await startUploadLoad(stack)
    await load.untilAccepted(byLength({ short: 100, long: 1_000 }), 60_000)
    await load.end()
    await enqueueAll(stack, [{ of: 7 }, { of: 11, backwards: true }])
    const workers = await Promise.all([stack.startWorker(), stack.startWorker()])
    await load.expectProcessedOnce({
      fault: `every job delivered three times, queue on ${backend}`,
      kills: load.accepted * 2,
      withinMs: 60_000,
    })
    for (const worker of workers) expect(listBatches(worker).length).toBeGreaterThan(0)
  })
})

describe('a lock', { timeout: byLength({ short: 90_000, long: 300_000 }) }, () => {
  test('that a suspended worker loses while decoding: another worker processes its datasets, once', async () => {
    await using stack = await openRedisStack()
    const web = await stack.startWeb()
    const load = await startUploadLoad(stack, { clients: 3, members: aSlowCapture(20_000) })
    await stack.redis.cut() // so that only the jobs below exist
    await load.untilAccepted(60)
    await load.end()
    await web.end('SIGKILL')
    await stack.redis.restore()
    await enqueueAll(stack, [{ of: 1_000 }])

    const still = await stack.startWorker({ WORKER_CONCURRENCY: '1' })
    const isDecoding = async () => {
      const asked = await queryRows(
        stack.db,
        "select pid from pg_stat_activity where datname = current_database() and query ~ 'from (scorecards|fragments)'",
      )
      expect(asked.length).toBeGreaterThan(0) // it reads the deployments after decoding
    }
    await vi.waitFor(isDecoding, { timeout: 20_000, interval: 10 })
    still.send('SIGSTOP')
    const listLocks = async () => (await stack.command('keys', 'bull:datasets:*:lock')) as string[]
    const locks = await listLocks()
    expect(locks).toHaveLength(1)
    expect(await stack.countWaiting()).toBe(load.accepted)

    await stack.startWorker()
    await enqueueAll(stack, [{ of: 13 }])
    await stack.untilProcessed(30_000)
    // the lock expires after 30 s; the short run deletes it now
    if (!isLong) await stack.command('del', ...locks)
    const isFree = async () => expect(await listLocks()).not.toContain(locks[0])
    await vi.waitFor(isFree, { timeout: 40_000, interval: 100 })
    still.send('SIGCONT')
    const isLost = () => {
      const errors = still.logged().filter(({ msg }) => msg === 'worker')
      expect(JSON.stringify(errors)).toMatch(/lock|Missing key/i)
    }
    await vi.waitFor(isLost, { timeout: 60_000, interval: 50 })
    // after a minute it has also lost its connections and cannot report
    if (!isLong) expect(await still.waitForLog('batch')).toMatchObject({ ready: 0, invalid: 0, failed: 0 })
    await load.expectProcessedOnce({ fault: 'lock lost while a batch was decoded', withinMs: 10_000 })
  })

  test.runIf(isLong).each(BACKENDS)(
    'of a worker suspended for a minute, with the queue on %s: its datasets go to another worker',
    async (backend) => {
      await using stack = await startTestStack({ backend })
      await stack.startWeb()
      const workers = await Promise.all([stack.startWorker(), stack.startWorker()])
      const load = await startUploadLoad(stack, { clients: 3, pauseMs: 100, members: aSlowCapture(2_000) })
      await load.untilAccepted(100)
      workers[0]?.send('SIGSTOP')
      await delay(60_000)
      workers[0]?.send('SIGCONT')
      await load.untilAccepted(100)
      await load.end()
      await load.expectProcessedOnce({
        fault: `worker suspended for 60 s, queue on ${backend}`,
        withinMs: 60_000,
      })
    },
  )

  test.runIf(isLong)(
    'is renewed by a batch that takes longer than the lock, on an overloaded machine',
    async () => {
      await using stack = await openRedisStack()
      const web = await stack.startWeb()
      const load = await startUploadLoad(stack, { clients: 2, members: aSlowCapture(200_000) })
      await stack.redis.cut()
      await load.untilAccepted(100, 120_000)
      await load.end()
      await web.end('SIGKILL')
      await stack.redis.restore()
      await stack.db.raw(
        "update datasets set ring_at = now() + interval '10 minutes' where ring_at is not null",
      )
      await stack.command('set', 'inkling:memory', '1') // so that the relay does not enqueue as well
      const starved = await stack.startWorker()
      await enqueueAll(stack, [{ of: 1_000 }])
      const other = await stack.startWorker()
      // it runs 50 ms of each second: 1.8 s until its lock would expire, less than the batch takes
      for (let second = 0; second < 35; second++) {
        starved.send('SIGSTOP')
        await delay(950)
        starved.send('SIGCONT')
        await delay(50)
      }
      await load.expectProcessedOnce({ fault: 'batch that takes longer than its lock', withinMs: 60_000 })
      await starved.waitForLog('batch')
      expect(Math.max(...listBatches(starved).map(({ ms }) => Number(ms)))).toBeGreaterThan(31_000)
      for (const worker of [starved, other])
        expect(worker.logged().filter(({ msg }) => msg === 'worker')).toEqual([])
    },
  )
})
