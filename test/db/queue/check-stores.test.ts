import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStoreCheck } from '../../../db/queue/check-stores.ts'
import { type Service, startService } from '../../support/service.ts'
import { openTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts'

let service: Service
let postgres: TcpProxy
let redis: TcpProxy

beforeAll(async () => {
  service = await startService({
    worker: false,
    async routeDatabase(url) {
      postgres = await openTcpProxy(url)
      return postgres.url
    },
    async routeRedis(url) {
      redis = await openTcpProxy(url)
      return redis.url
    },
  })
})
afterAll(async () => {
  await service.stop()
  await Promise.all([postgres.cut(), redis.cut()])
})

test('concurrent calls share a check, later ones start another', async () => {
  let checks = 0
  const producer = {
    ...service.producer,
    check() {
      checks++
      return service.producer.check()
    },
  }
  const check = openStoreCheck(service.db, producer)
  for (const round of [1, 2, 3]) {
    expect(await Promise.all(Array.from({ length: 200 }, check))).toEqual(Array(200).fill({}))
    expect(checks).toBe(round)
  }
})

test('a check takes at most 2 s and names the unavailable stores', { timeout: 30_000 }, async () => {
  const check = openStoreCheck(service.db, service.producer)
  const timeCheck = async () => {
    const startedAt = performance.now()
    const faults = await check()
    expect(performance.now() - startedAt).toBeLessThan(3_000)
    return Object.keys(faults)
  }
  expect(await timeCheck()).toEqual([])
  redis.freeze()
  expect(await timeCheck()).toEqual(['queue'])
  postgres.freeze()
  expect(await timeCheck()).toEqual(['postgres', 'queue'])
  await Promise.all([postgres.restore(), redis.restore()])
  await expect.poll(timeCheck, { timeout: 20_000 }).toEqual([])
})
