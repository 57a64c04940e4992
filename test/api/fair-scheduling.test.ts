import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openUploadPriority } from '../../api/datasets/upload-priority.ts'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { BACKENDS, type Service, startService } from '../support/service.ts'

describe.each(BACKENDS)('with the queue on %s', (backend) => {
  let service: Service

  beforeAll(async () => {
    service = await startService({ backend, worker: false })
  })
  afterAll(() => service.stop())

  test('a dataset of one subscription is processed before the earlier burst of another', async () => {
    const flooding = await service.openTenant()
    const other = await service.openTenant()
    for (let n = 0; n < 600; n += 20)
      await Promise.all(
        Array.from({ length: 20 }, () => upload(service.url, flooding.uploaderKey, anUpload())),
      )
    await upload(service.url, other.uploaderKey, anUpload())

    service.startWorker({ concurrency: 1 })
    const settledAt = async ({ subscriptionId }: { subscriptionId: number }): Promise<Date[]> =>
      service
        .db('datasets')
        .where({ subscription_id: subscriptionId, status: 'ready' })
        .orderBy('settled_at')
        .pluck('settled_at')
    await vi.waitFor(async () => expect(await settledAt(flooding)).toHaveLength(600), 15_000)
    const [single] = await settledAt(other)
    const before = (await settledAt(flooding)).filter((at) => at < (single ?? 0)).length
    expect(before).toBeLessThan(300)
  })
})

test('twice as many recent uploads are one priority later, and their count halves every 5 s', () => {
  let now = 0
  const { priorityOf } = openUploadPriority(() => now)
  expect(priorityOf(1, 1)).toBe(0)
  expect(priorityOf(1, 127)).toBe(0)
  expect(priorityOf(1, 128)).toBe(1)
  expect(priorityOf(1, 256)).toBe(2)
  expect(priorityOf(2, 128)).toBe(0)
  now = 5_000
  expect(priorityOf(1, 0)).toBe(1)
  now = 60_000
  expect(priorityOf(1, 1)).toBe(0)
  expect(priorityOf(1, 100_000_000)).toBe(13)
})
