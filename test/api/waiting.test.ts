import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anUpload } from '../support/captures.ts'
import { logIn, readByCode, readInsight, upload } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { BACKENDS, type Service, startService, type Tenant } from '../support/service.ts'

describe.each(BACKENDS)('with the queue on %s', (backend) => {
  let service: Service
  let tenant: Tenant
  let token: string

  const open = async (insightWaitMs: number) => {
    service = await startService({ backend, worker: false, insightWaitMs })
    tenant = await service.openTenant()
    token = await logIn(service.url, tenant)
  }

  async function aDataset(): Promise<string> {
    const body = anUpload()
    expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
    return body.referenceNumber
  }

  const count = async (table: string, where: object = {}): Promise<number> =>
    Number((await service.db(table).where(where).count('* as count'))[0]?.count)

  describe('without a worker', () => {
    beforeAll(() => open(300))
    afterAll(() => service.stop())

    test('a read waits for INSIGHT_WAIT_MS and then returns insight_not_ready with Retry-After', async () => {
      const reference = await aDataset()
      for (const read of [
        () => readInsight(service.url, token, reference),
        () => readByCode(service.url, tenant.requesterKey, reference),
      ]) {
        const startedAt = performance.now()
        const { status, headers, body } = await read()
        const ms = performance.now() - startedAt
        expect([status, body.title]).toEqual([503, 'insight_not_ready'])
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
        expect(ms).toBeGreaterThan(290)
        expect(ms).toBeLessThan(3_000)
      }
    })

    test('every such request is recorded once', async () => {
      const before = await count('insight_requests')
      await Promise.all(
        [aDataset(), aDataset()].map(async (one) => readInsight(service.url, token, await one)),
      )
      expect(await count('insight_requests')).toBe(before + 2)
    })

    test('a read of an unknown dataset does not wait', async () => {
      const tookMs: number[] = []
      for (let n = 0; n < 5; n++) {
        const startedAt = performance.now()
        expect((await readInsight(service.url, token, 'unknown')).status).toBe(404)
        tookMs.push(performance.now() - startedAt)
      }
      expect(Math.min(...tookMs)).toBeLessThan(290)
    })
  })

  describe('once a worker starts', () => {
    beforeAll(() => open(10_000))
    afterAll(() => service.stop())

    test('waiting reads return the insight, with the time of the request', async () => {
      const references = await Promise.all(Array.from({ length: 5 }, aDataset))
      const reads = Promise.all([
        ...references.map((one) => readByCode(service.url, tenant.requesterKey, one)),
        ...references.map((one) => readByCode(service.url, tenant.requesterKey, one)),
      ])
      // until all have asked, of which nothing can be seen: a call is recorded when it is answered
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(await count('insight_requests')).toBe(0)
      const worker = service.startWorker()
      for (const { status, body } of await reads) {
        expect(status).toBe(200)
        for (const { calculatedDate } of body.insights) expect(body.requestedDate < calculatedDate).toBe(true)
      }
      expect(await count('insight_requests')).toBe(10)
      await worker.close()
    })

    test('a read is processed before a backlog of 300 datasets', async () => {
      const references: string[] = []
      for (let n = 0; n < 300; n++) references.push(await aDataset()) // one by one: a job for each
      const settledBefore = await count('datasets', { status: 'ready' })
      service.startWorker({ concurrency: 2, pauseMs: 20 }) // 3 s for all of them
      await eventually(async () =>
        expect(await count('datasets', { status: 'ready' })).toBeGreaterThan(settledBefore),
      )

      const { status, body } = await readInsight(service.url, token, references.at(-1) ?? '')
      const settled = (await count('datasets', { status: 'ready' })) - settledBefore
      expect([status, body.datasetInfo.referenceNumber]).toEqual([200, references.at(-1)])
      expect(settled).toBeLessThan(100)
    })
  })
})
