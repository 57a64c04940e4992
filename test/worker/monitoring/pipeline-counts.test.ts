import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requeueDatasets } from '../../../db/datasets/requeue-datasets.ts'
import { latencyBucketOf, latencyQuantile } from '../../../db/monitoring/latency-histogram.ts'
import { type FirstSettlement, openPipelineCounter } from '../../../db/monitoring/pipeline-counter.ts'
import {
  addPipelineCounts,
  listPipelineCounts,
  type PipelineCount,
  prunePipelineCounts,
} from '../../../db/monitoring/pipeline-counts.ts'
import { openDatabase } from '../../../db/postgres/database.ts'
import { processBatch } from '../../../worker/batches/process-batch.ts'
import { anActor } from '../../support/actors.ts'
import { openTcpProxy } from '../../support/tcp-proxy.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

const AT = Date.parse('2026-11-21T10:00:30Z')
const MINUTE = Date.parse('2026-11-21T10:00:00Z')

const list = (subscriptionId: number) => listPipelineCounts(bench.db, subscriptionId, new Date(0))

const total = (counts: readonly PipelineCount[]) => {
  const sums: Record<string, number> = { uploads: 0, ready: 0, settled: 0 }
  const add = (name: string, datasets: number) => {
    sums[name] = (sums[name] ?? 0) + datasets
  }
  for (const { uploads, ready, invalid, latencies } of counts) {
    add('uploads', uploads)
    add('ready', ready)
    for (const [reason, datasets] of Object.entries(invalid)) add(reason, datasets)
    for (const datasets of Object.values(latencies)) add('settled', datasets)
  }
  return sums
}

const settled = (subscriptionId: number, members: Partial<FirstSettlement> = {}): FirstSettlement => ({
  ...{ subscriptionId, uploadedAt: AT, latencyMs: 100, invalid: null },
  ...members,
})

describe('a worker', () => {
  test('counts each dataset once, when first settled, with error code and latency', async () => {
    const subscriptionId = await bench.openSubscription()
    const counts = openPipelineCounter(bench.db)
    const context = { ...bench.context, observer: { onSettled: counts.countSettled } }
    const keys = await bench.receive(
      { subscriptionId },
      { subscriptionId, uploadedAt: new Date(Date.now() - 100_000).toISOString() },
      { subscriptionId, blob: Buffer.from('none') },
      { subscriptionId, blob: Buffer.from('nor here') },
    )
    await processBatch(context, keys)
    await processBatch(context, keys)
    await requeueDatasets(bench.db, keys, anActor('me'))
    await processBatch(context, keys)
    await counts.flush()
    const counted = await list(subscriptionId)
    expect(total(counted)).toEqual({ uploads: 0, ready: 2, not_gzip: 2, settled: 4 })
    const steps = counted.flatMap(({ latencies }) => Object.keys(latencies).map(Number))
    const [waited] = await bench
      .db('datasets')
      .where({ subscription_id: subscriptionId, id: keys[1]?.id })
      .select(bench.db.raw('extract(epoch from settled_at - uploaded_at)::float * 1000 as ms'))
    expect(Math.abs(Math.max(...steps) - latencyBucketOf(waited.ms))).toBeLessThanOrEqual(1)
  })

  test('does not count datasets that it could not commit', async () => {
    const subscriptionId = await bench.openSubscription()
    const proxy = await openTcpProxy(bench.url)
    const db = openDatabase({ url: proxy.url, poolMax: 2 })
    const counts = openPipelineCounter(bench.db)
    const keys = await bench.receive({ subscriptionId }, { subscriptionId })
    await proxy.cut()
    const context = { ...bench.context, observer: { onSettled: counts.countSettled } }
    await expect(processBatch({ ...context, db }, keys)).rejects.toThrow()
    await counts.flush()
    expect(await list(subscriptionId)).toEqual([])
    await processBatch(context, keys)
    await counts.flush()
    expect(total(await list(subscriptionId))).toEqual({ uploads: 0, ready: 2, settled: 2 })
    await db.destroy()
  })
})

describe('counts', () => {
  test('belong to the minute of the event', async () => {
    const subscriptionId = await bench.openSubscription()
    const counts = openPipelineCounter(bench.db)
    counts.countUpload(subscriptionId, AT)
    counts.countSettled(settled(subscriptionId))
    counts.countUpload(subscriptionId, AT)
    counts.countSettled(settled(subscriptionId, { latencyMs: 45_000, invalid: 'not_gzip' }))
    await counts.flush()
    const none = { subscriptionId, uploads: 0, ready: 0, invalid: {}, latencies: {} }
    expect(await list(subscriptionId)).toEqual([
      { ...none, minute: MINUTE, uploads: 2, ready: 1, latencies: { [latencyBucketOf(100)]: 1 } },
      {
        ...none,
        ...{ minute: MINUTE + 60_000, invalid: { not_gzip: 1 }, latencies: { [latencyBucketOf(45_000)]: 1 } },
      },
    ])
  })

  test('of concurrent processes add up, in any order', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, bench.openSubscription))
    const processes = Array.from({ length: 6 }, () => openPipelineCounter(bench.db))
    for (let round = 0; round < 5; round++) {
      for (const [p, counts] of processes.entries())
        for (let n = 0; n < 60; n++) {
          const id = ids[(p % 2 ? n : 60 - n) % 5] as number
          counts.countUpload(id, AT + n * 7_000)
          const invalid = n % 4 === 0 ? `reason ${n % 3}` : null
          counts.countSettled(settled(id, { latencyMs: n * 1_000, invalid }))
        }
      await Promise.all(processes.map((counts) => counts.flush()))
    }
    const sums = total((await Promise.all(ids.map(list))).flat())
    expect(sums).toEqual({
      ...{ uploads: 1_800, ready: 1_350, settled: 1_800 },
      ...{ 'reason 0': 150, 'reason 1': 150, 'reason 2': 150 },
    })
  })

  test('that could not be written are written by the next flush, once', async () => {
    const subscriptionId = await bench.openSubscription()
    const proxy = await openTcpProxy(bench.url)
    const db = openDatabase({ url: proxy.url, poolMax: 1 })
    const counts = openPipelineCounter(db)
    counts.countSettled(settled(subscriptionId, { invalid: 'not_gzip' }))
    await proxy.cut()
    const failing = counts.flush()
    counts.countUpload(subscriptionId, AT) // meanwhile
    await expect(failing).rejects.toThrow()
    counts.countSettled(settled(subscriptionId, { invalid: 'not_gzip' }))
    await proxy.restore()
    await counts.flush()
    await counts.flush()
    expect(total(await list(subscriptionId))).toEqual({ uploads: 1, ready: 0, not_gzip: 2, settled: 2 })
    await db.destroy()
    await proxy.cut()
  })

  test('whose commit was not acknowledged are not written again: undercounting is preferred to double counting', async () => {
    const subscriptionId = await bench.openSubscription()
    const db = openDatabase({ url: bench.url, poolMax: 1 })
    const counts = openPipelineCounter(db)
    counts.countUpload(subscriptionId, AT)
    // a deferred trigger ends the connection during the commit
    await bench.owner.raw(`
      create function lose_connection() returns trigger language plpgsql as
        $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$;
      create constraint trigger lost after insert on pipeline_counts deferrable initially deferred
        for each row when (new.subscription_id = ${subscriptionId}) execute function lose_connection();`)
    await expect(counts.flush()).rejects.toThrow('may or may not have been added')
    await bench.owner.raw('drop trigger lost on pipeline_counts; drop function lose_connection;')
    await counts.flush()
    expect(await list(subscriptionId)).toEqual([])
    await db.destroy()
  })

  test('are retained for 14 days', async () => {
    const subscriptionId = await bench.openSubscription()
    const daysAgo = (days: number) => Math.floor(Date.now() / 60_000 - days * 1_440) * 60_000
    const none = { subscriptionId, uploads: 1, ready: 0, invalid: {}, latencies: {} }
    await addPipelineCounts(
      bench.db,
      [13, 15, 40].map((days) => ({ ...none, minute: daysAgo(days) })),
    )
    await prunePipelineCounts(bench.db, 100)
    expect((await list(subscriptionId)).map(({ minute }) => minute)).toEqual([daysAgo(13)])
  })
})

describe('the latency histogram', () => {
  test('reproduces any latency within 6 %', () => {
    for (let ms = 20; ms < 1e8; ms *= 1.013) {
      const found = latencyQuantile(new Map([[latencyBucketOf(ms), 1]]), 0.5)
      expect(Math.abs((found ?? 0) / ms - 1)).toBeLessThan(0.07)
    }
  })

  test('returns quantiles of the latency, and none without data', () => {
    const latencies = new Map([
      [latencyBucketOf(1_000), 50],
      [latencyBucketOf(10), 44],
      [latencyBucketOf(60_000), 6],
    ])
    expect(latencyQuantile(latencies, 0.44)).toBeCloseTo(10, -1)
    expect(latencyQuantile(latencies, 0.5)).toBe(latencyQuantile(new Map([[latencyBucketOf(1_000), 1]]), 0.5))
    expect(latencyQuantile(latencies, 0.95)).toBe(
      latencyQuantile(new Map([[latencyBucketOf(60_000), 1]]), 0.5),
    )
    expect(latencyQuantile(new Map(), 0.5)).toBeNull()
  })
})
