import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { JobsView } from '../../../db/queue/backend.ts'
import { openProducer } from '../../../db/queue/producer.ts'
import { openQueueView, type QueueView } from '../../../db/queue/queue-view.ts'
import { startBatchWorker } from '../../../worker/batches/batch-worker.ts'
import { BACKENDS, type Service, startService } from '../../support/service.ts'
import { claimRedisUrl } from '../../support/stores.ts'

const keys = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ subscriptionId: 1, id: from + n }))

describe.each(BACKENDS)('with the queue on %s', (backend) => {
  let service: Service
  let view: QueueView
  let queue: JobsView

  beforeAll(async () => {
    service = await startService({ backend, worker: false })
    view = openQueueView(service.location, () => undefined)
    queue = await view.open()
  })
  afterAll(async () => {
    await view.close()
    await service.stop()
  })

  /** Removes the waiting jobs, in the order in which workers take them. */
  async function takeJobs() {
    const jobs = [
      ...(await queue.getJobs(['waiting'], 0, -1, true)),
      ...(await queue.getJobs(['prioritized'], 0, -1, true)),
    ]
    await Promise.all(jobs.map((job) => job.remove()))
    return jobs
  }

  test('jobs carry up to 128 datasets each, in the order of the keys', async () => {
    await service.producer.enqueue(keys(1, 300))
    const jobs = await takeJobs()
    expect(jobs.map(({ data }) => data.datasets.length)).toEqual([128, 128, 44])
    expect(jobs.flatMap(({ data }) => data.datasets)).toEqual(keys(1, 300).map(({ id }) => [1, id]))
    expect(new Set(jobs.map(({ name }) => name))).toEqual(new Set(['batch']))
    await service.producer.enqueue([])
    expect(await takeJobs()).toEqual([])
  })

  test('urgent jobs go first, then lower numbers before higher ones, each in the order in which they were added', async () => {
    const { producer } = service
    await producer.enqueue(keys(1, 1), { priority: 13 })
    await producer.enqueue(keys(2, 1), { priority: 2 })
    await producer.enqueue(keys(3, 1))
    await producer.enqueue(keys(4, 1), { priority: 2 })
    await producer.enqueue(keys(5, 1), { priority: 0 })
    await producer.enqueue(keys(6, 1), { priority: 'urgent' })
    const processed: number[] = []
    const worker = startBatchWorker(service.location, {
      concurrency: 1,
      process: async (datasets) => void processed.push(...datasets.map(({ id }) => id)),
      onError: () => undefined,
    })
    await vi.waitFor(() => expect(processed).toEqual([6, 3, 5, 2, 4, 1]), { timeout: 10_000, interval: 20 })
    await worker.close()
  })

  test('while the queue is unavailable, enqueue throws; tryEnqueue logs once and leaves the datasets to the relay', async () => {
    const logged: string[] = []
    const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line).msg) })
    const producer = openProducer(
      backend === 'redis'
        ? { ...service.location, redis: { url: 'redis://127.0.0.1:1' } }
        : { database: { url: 'postgres://127.0.0.1:1/none', poolMax: 2 } },
      log,
    )
    await expect(producer.enqueue(keys(1, 300))).rejects.toThrow()
    expect(logged).not.toContain('could not enqueue; the relay will')
    for (let attempt = 0; attempt < 3; attempt++) expect(await producer.tryEnqueue(keys(1, 300))).toBe(false)
    expect(logged.filter((message) => message.startsWith('could not enqueue'))).toHaveLength(1)
    await producer.close()
    expect(await service.producer.tryEnqueue(keys(1, 1))).toBe(true)
    expect(await takeJobs()).toHaveLength(1)
  })
})

test('workers on other databases of the same Redis are not counted', async () => {
  const locations = await Promise.all(
    [1, 2].map(async () => ({
      database: { url: 'postgres://unused', poolMax: 2 },
      redis: { url: await claimRedisUrl() },
    })),
  )
  const views = locations.map((location) => openQueueView(location, () => undefined))
  const [own, other] = await Promise.all(views.map((view) => view.open()))
  const [, location] = locations
  if (!location) throw new Error('There are two')
  const worker = startBatchWorker(location, {
    concurrency: 1,
    process: async () => undefined,
    onError: () => undefined,
  })
  await expect.poll(() => other?.getWorkersCount()).toBe(1)
  expect(await own?.getWorkersCount()).toBe(0)
  await worker.close()
  await Promise.all(views.map((view) => view.close()))
})
