import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDrainReader } from '../../api/autoscaling/read-drain.ts'
import { waitSecondsOf } from '../../api/autoscaling/wait-seconds.ts'
import { anUpload } from '../support/captures.ts'
import { upload } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const TOKEN = 'a-token.of~an_autoscaler'

let service: Service
let postgres: TcpProxy
beforeAll(async () => {
  service = await startService({
    worker: false,
    autoscaleToken: TOKEN,
    async routeDatabase(url) {
      postgres = await openTcpProxy(url)
      return postgres.url
    },
  })
})
afterAll(() => service.stop())

const bearer = { Authorization: `Bearer ${TOKEN}` }

const read = (path: string, headers: Record<string, string> = bearer, method = 'GET') =>
  fetch(`${service.url}${path}`, { method, headers })

interface Load {
  readonly waitSeconds: number
  readonly datasetsWaiting: number
  readonly oldestSeconds: number
  readonly settledPerSecond: number
  readonly secondsToDrain: number | null
}

const readLoad = async () => (await (await read('/autoscale/worker')).json()) as Load

test.each([
  ['an idle service', 0, 0, 0],
  ['the age, where the rest is settled before', 20, 5, 20],
  ['the seconds to drain, which are longer than the age', 20, 90, 90],
  ['a quiet minute with one dataset', 0.1, 50, 1],
  ['the beginning of a burst, whose rate is not measured yet', 3, 2_500, 30],
  ['no dataset settled, as before the first worker', 2, null, 20],
])('the value of %s', (_, oldestSeconds, secondsToDrain, value) => {
  expect(waitSecondsOf({ oldestSeconds, secondsToDrain })).toBe(value)
})

test('each autoscaler is answered in its own form, by the token in a header or the path', async () => {
  const forms = [
    await read('/autoscale'),
    await read('/hirefire', { 'HireFire-Token': TOKEN }),
    await read(`/hirefire/${TOKEN}/info`, {}),
  ]
  for (const answer of forms) {
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual([{ name: 'worker', value: 0 }])
  }
  expect(await readLoad()).toEqual({
    waitSeconds: 0,
    datasetsWaiting: 0,
    oldestSeconds: 0,
    settledPerSecond: 0,
    secondsToDrain: 0,
  })
  expect((await read('/autoscale', bearer, 'HEAD')).status).toBe(200)
  const post = await read('/autoscale', bearer, 'POST')
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect((await read('/autoscale/web')).status).toBe(404)
})

test('a wrong token is rejected on each path, and no token is logged', async () => {
  const wrong: Record<string, string>[] = [
    {},
    { Authorization: 'Bearer wrong' },
    { Authorization: `Basic ${TOKEN}` },
    { Authorization: `Bearer ${TOKEN}x` },
    { 'HireFire-Token': 'wrong' },
  ]
  for (const headers of wrong) expect((await read('/autoscale', headers)).status).toBe(401)
  expect((await read('/hirefire/wrong/info')).status).toBe(401)
  const routes = service.logged.map((line) => (JSON.parse(line) as { route?: string }).route)
  expect(routes).toContain('/hirefire/:token/info')
  expect(service.logged.join('')).not.toContain(TOKEN)
})

test('the value follows the datasets that wait', async () => {
  const tenant = await service.openTenant()
  for (let n = 0; n < 3; n++) await upload(service.url, tenant.uploaderKey, anUpload())
  await expect.poll(async () => (await readLoad()).datasetsWaiting, { timeout: 5_000 }).toBe(3)
  const waiting = await readLoad()
  expect(waiting.oldestSeconds).toBeGreaterThan(0)
  expect(waiting).toMatchObject({ settledPerSecond: 0, secondsToDrain: null })
  expect(waiting.waitSeconds / waiting.oldestSeconds).toBeCloseTo(10, 0)

  service.startWorker()
  await expect
    .poll(
      async () => {
        await service.flushCounts()
        return readLoad()
      },
      { timeout: 10_000 },
    )
    .toMatchObject({ waitSeconds: 0, datasetsWaiting: 0, secondsToDrain: 0 })
  expect((await readLoad()).settledPerSecond).toBeGreaterThan(0)
})

test('one measurement answers however many ask in a second', async () => {
  const readDrain = openDrainReader(service.db)
  const [first, second] = await Promise.all([readDrain(), readDrain()])
  expect(second).toBe(first)
  expect(await readDrain()).toBe(first)
  await expect.poll(readDrain, { timeout: 5_000 }).not.toBe(first)
})

test('the answer is 503 within 2 s while Postgres does not answer, and 404 without a token in the environment', async () => {
  await expect.poll(async () => (await read('/autoscale')).status).toBe(200)
  postgres.freeze()
  const startedAt = performance.now()
  await expect
    .poll(
      async () => {
        const answer = await read('/autoscale')
        return [answer.status, answer.headers.get('retry-after')]
      },
      { timeout: 5_000 },
    )
    .toEqual([503, '2'])
  expect(performance.now() - startedAt).toBeLessThan(4_500)
  await postgres.restore()

  const disabled = await startService({ worker: false })
  for (const path of ['/autoscale', '/autoscale/worker', '/hirefire', `/hirefire/${TOKEN}/info`])
    expect((await fetch(`${disabled.url}${path}`, { headers: bearer })).status).toBe(404)
  await disabled.stop()
})
