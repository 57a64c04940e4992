import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { anUpload } from '../support/captures.ts'
import {
  type Answer,
  assignInfo,
  attemptLogin,
  call,
  logIn,
  readByCode,
  readInsight,
  upload,
} from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

let service: Service
let tenant: Tenant
let proxy: TcpProxy

/** The way to a store by the proxy that a test can cut. */
const route = async (url: string) => {
  proxy = await openTcpProxy(url)
  return proxy.url
}

async function close(): Promise<void> {
  await proxy.restore()
  await service.stop()
  await proxy.cut()
}

/** Words that would reveal internals. */
const INTERNALS =
  /select |insert |update |delete |datasets_|postgres|knex|bullmq|redis|econn|127\.0\.0\.1|node_modules|\.ts\b|at \w+ \(|constraint|relation/i

const expectNoInternals = ({ body: { traceId: _, ...problem } }: Answer) =>
  expect(JSON.stringify(problem)).not.toMatch(INTERNALS)

describe('while Postgres is unavailable', () => {
  let token: string
  const stored = anUpload()

  beforeAll(async () => {
    service = await startService({ backend: 'redis', worker: false, insightWaitMs: 0, routeDatabase: route })
    tenant = await service.openTenant()
    token = await logIn(service.url, tenant)
    expect((await upload(service.url, tenant.uploaderKey, stored)).status).toBe(200)
  })
  afterEach(() => proxy.restore())
  afterAll(close)

  const { referenceNumber } = stored

  test('every request that needs it is 503 unavailable, with Retry-After, and nothing is accepted', async () => {
    await proxy.cut()
    const fresh = anUpload()
    const answers = await Promise.all([
      upload(service.url, tenant.uploaderKey, fresh),
      upload(service.url, tenant.uploaderKey, stored),
      assignInfo(service.url, tenant.uploaderKey, { referenceNumber, additionalInfo: { a: 'b' } }),
      readByCode(service.url, tenant.requesterKey, referenceNumber),
      readInsight(service.url, token, referenceNumber),
      attemptLogin(service.url, tenant.userEmail),
      call(service.url, 'POST', '/api/account/v1/refresh', { body: { refresh_token: 'x' } }),
      call(service.url, 'POST', '/api/account/v1/logout', { body: { refresh_token: 'x' } }),
    ])
    for (const answer of answers) {
      expect([answer.status, answer.body.title]).toEqual([503, 'unavailable'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expectNoInternals(answer)
    }

    await proxy.restore()
    expect(await service.db('datasets').where({ reference_number: fresh.referenceNumber })).toEqual([])
    expect((await upload(service.url, tenant.uploaderKey, fresh)).status).toBe(200)
    expect((await logIn(service.url, tenant)).length).toBeGreaterThan(0)
  })

  test('the process is healthy and not ready, and ready again when Postgres is', async () => {
    await proxy.cut()
    expect((await call(service.url, 'GET', '/healthz')).status).toBe(200)
    const answer = await call(service.url, 'GET', '/readyz')
    expect([answer.status, answer.body.title]).toEqual([503, 'unavailable'])
    expect(answer.body.errors).toEqual({ postgres: [expect.any(String)] })
    await proxy.restore()
    await eventually(async () => expect((await call(service.url, 'GET', '/readyz')).status).toBe(200))
  })

  test('that accepts connections and does not respond, the process is not ready within 3 s', async () => {
    proxy.freeze()
    const startedAt = performance.now()
    const { status, body } = await call(service.url, 'GET', '/readyz')
    expect([status, Object.keys(body.errors)]).toEqual([503, ['postgres']])
    expect(performance.now() - startedAt).toBeLessThan(3_000)
  })
})

describe('while Redis is unavailable', () => {
  beforeAll(async () => {
    service = await startService({ backend: 'redis', routeRedis: route })
    tenant = await service.openTenant()
  })
  afterAll(close)

  test('uploads and Additional Info are accepted, and processed once it is available again', async () => {
    const token = await logIn(service.url, tenant)
    await proxy.cut()
    const body = anUpload()
    const startedAt = performance.now()
    expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
    const { referenceNumber } = body
    const info = { referenceNumber, additionalInfo: { clientId: 'C-1' } }
    expect((await assignInfo(service.url, tenant.uploaderKey, info)).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(4_000) // neither waits 5 s for the queue

    const unready = await call(service.url, 'GET', '/readyz')
    expect([unready.status, Object.keys(unready.body.errors)]).toEqual([503, ['queue']])
    expectNoInternals(unready)
    expect((await call(service.url, 'GET', '/healthz')).status).toBe(200)

    await proxy.restore()
    await vi.waitFor(async () => expect((await call(service.url, 'GET', '/readyz')).status).toBe(200), 5_000)
    expect((await readInsight(service.url, token, referenceNumber)).status).toBe(200)
  })
})

describe('when a statement fails', () => {
  beforeAll(async () => {
    service = await startService({ worker: false })
    tenant = await service.openTenant()
    await service.owner.raw(`alter table datasets add constraint secret_rule check (real_ip <> 'poison')`)
  })
  afterAll(() => service.stop())

  const poisoned = () => anUpload({}, { realIp: 'poison', additionalInfo: { secretKey: 'secretValue' } })

  test('the response is 500 without internals, and the log has the cause under the same id', async () => {
    const answer = await upload(service.url, tenant.uploaderKey, poisoned())
    expect([answer.status, answer.body.title]).toEqual([500, 'internal_error'])
    expectNoInternals(answer)
    await eventually(() => {
      const line = service.logged.find((one) => one.includes(answer.body.traceId))
      expect(JSON.parse(line ?? '{}')).toMatchObject({
        level: 50,
        requestId: answer.body.traceId,
        status: 500,
        err: { message: expect.stringContaining('secret_rule') },
      })
    })
  })

  test('the log has no part of the request', async () => {
    const body = poisoned()
    const { body: problem } = await upload(service.url, tenant.uploaderKey, body)
    await eventually(() => expect(service.logged.join('')).toContain(problem.traceId))
    const log = service.logged.join('')
    for (const value of [
      body.referenceNumber,
      String(body.data).slice(0, 40),
      Buffer.from(String(body.data), 'base64').toString('hex').slice(0, 40),
      'poison',
      'secretKey',
      'secretValue',
    ])
      expect(log, value).not.toContain(value)
  })

  test('an upload that fails does not fail the others of its batch', async () => {
    const bodies = Array.from({ length: 60 }, (_, n) => (n % 20 === 7 ? poisoned() : anUpload()))
    const answers = await Promise.all(bodies.map((body) => upload(service.url, tenant.uploaderKey, body)))
    expect(answers.map(({ status }) => status)).toEqual(bodies.map((_, n) => (n % 20 === 7 ? 500 : 200)))
  })
})
