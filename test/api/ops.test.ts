import { afterAll, describe, expect, test } from 'vitest'
import { anUpload } from '../captures.ts'
import { call, logIn, upload } from '../client.ts'
import { openHouse } from '../open-house.ts'
import { BACKENDS, type Service, startService } from '../service.ts'
import { killProcesses, startProcess } from '../start-process.ts'
import { openTcpProxy, type TcpProxy } from '../tcp-proxy.ts'

afterAll(killProcesses)

const PASSWORD = 'a long passphrase of operators'

const basic = (password: string, user = 'operator') => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** What bull-board and problems answer, as far as it is looked at. */
interface Answered {
  readonly queues: readonly { readonly counts: Record<string, number> }[]
  readonly title: string
  readonly detail: string
}

const read = async (answer: Response) => (await answer.json()) as Answered

const look = (service: Service, path: string, init: RequestInit = { headers: basic(PASSWORD) }) =>
  fetch(`${service.url}${path}`, init)

describe.each(BACKENDS)('the pages for operators, with the queue on %s', (backend) => {
  test('show the queue to who has the password, under a policy of their own', async () => {
    const service = await startService({ backend, worker: false, opsPassword: PASSWORD })
    const tenant = await service.openTenant()
    const body = anUpload()
    await upload(service.url, tenant.uploaderKey, body)

    const queues = async () => read(await look(service, '/ops/api/queues'))
    await expect.poll(async () => (await queues()).queues[0]?.counts.waiting, { timeout: 10_000 }).toBe(1)
    const [queue] = (await queues()).queues
    expect(queue).toMatchObject({ name: 'datasets', readOnlyMode: true })
    const jobs = await (await look(service, '/ops/api/queues?activeQueue=datasets&status=waiting')).json()
    expect(JSON.stringify(jobs)).not.toContain(body.referenceNumber)

    for (const path of ['/ops', '/ops/', '/ops/queue/datasets']) {
      const page = await look(service, path)
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(page.headers.get('content-security-policy')).toContain("script-src 'self';")
      expect(page.headers.get('cache-control')).toBe('no-store')
      const [, script] = /src="(static\/js\/main[^"]+)"/.exec(await page.text()) ?? []
      const file = await look(service, `/ops/${script}`)
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
      await file.arrayBuffer()
    }
    await service.stop()
  })

  test('are to look at only: the queue cannot be paused or emptied there', async () => {
    const service = await startService({ backend, worker: false, opsPassword: PASSWORD })
    await look(service, '/ops/api/queues')
    for (const [method, path] of [
      ['PUT', '/ops/api/queues/datasets/pause'],
      ['PUT', '/ops/api/queues/pause'],
      ['PUT', '/ops/api/queues/datasets/empty'],
      ['POST', '/ops/api/queues/datasets/add'],
    ] as const) {
      const answer = await look(service, path, { method, headers: basic(PASSWORD) })
      expect([answer.status, (await read(answer)).title]).toEqual([405, 'method_not_allowed'])
    }
    const { queues } = await read(await look(service, '/ops/api/queues'))
    expect(queues[0]).toMatchObject({ isPaused: false, readOnlyMode: true })
    await service.stop()
  })
})

describe('nobody else', () => {
  test('sees anything of it: no password, a wrong one, another user, a login token, an API key', async () => {
    const service = await startService({ worker: false, opsPassword: PASSWORD })
    const tenant = await service.openTenant()
    const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
    const tries: Record<string, string>[] = [
      {},
      basic('wrong'),
      basic(PASSWORD, 'admin'),
      basic(`${PASSWORD} `),
      bearer(tenant.uploaderKey),
      bearer(await logIn(service.url, tenant)),
      { Authorization: PASSWORD },
    ]
    for (const headers of tries)
      for (const path of ['/ops', '/OPS/api/queues', '/ops/static/css/x.css']) {
        if (path !== '/ops' && headers.Authorization !== undefined) continue // fewer than are too many
        const answer = await look(service, path, { headers })
        expect(answer.status).toBe(401)
        expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=/)
        expect(await answer.text()).toContain('OPS_PASSWORD')
      }
    // and the password opens nothing else
    const answer = await call(service.url, 'GET', '/api/pipeline/v1', { headers: basic(PASSWORD) })
    expect(answer.status).toBe(401)
    expect(service.logged.join('\n')).not.toContain(PASSWORD)
    expect(service.logged.join('\n')).not.toContain(basic(PASSWORD).Authorization.slice(6))
    await service.stop()
  })

  test('may guess: after ten wrong passwords an address has to wait', async () => {
    const service = await startService({ worker: false, opsPassword: PASSWORD })
    for (let n = 0; n < 10; n++)
      expect((await look(service, '/ops', { headers: basic(`guess ${n}`) })).status).toBe(401)
    const answer = await look(service, '/ops')
    expect([answer.status, (await read(answer)).title]).toEqual([429, 'rate_limited'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(800)
    await service.stop()
  })

  test('finds it where no password is set: it is not there, for browsers neither', async () => {
    const service = await startService({ worker: false })
    for (const path of ['/ops', '/ops/api/queues', '/Ops/'])
      for (const accept of ['*/*', 'text/html']) {
        const answer = await look(service, path, { headers: { ...basic(PASSWORD), accept } })
        expect([answer.status, (await read(answer)).title]).toEqual([404, 'route_not_found'])
      }
    await service.stop()
  })
})

test('while Redis is away the pages say so, and are back when it is', async () => {
  let redis: TcpProxy | undefined
  const service = await startService({
    worker: false,
    opsPassword: PASSWORD,
    routeRedis: async (url) => {
      redis = await openTcpProxy(url)
      return redis.url
    },
  })
  const statusOf = async () => (await look(service, '/ops/api/queues')).status
  expect(await statusOf()).toBe(200)
  await redis?.cut()
  const answer = await look(service, '/ops/api/queues')
  expect([answer.status, (await read(answer)).detail]).toEqual([503, 'Redis, which holds the queue, is away'])
  await redis?.restore()
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(200)
  await service.stop()
  await redis?.cut()
})

test('web does not start with a password that can be guessed, serves the pages with another, and ends with them open', async () => {
  await using house = await openHouse()
  const refused = startProcess('web', { ...house.env, OPS_PASSWORD: 'too short' })
  expect(await refused.ended).toMatchObject({ code: 1 })
  expect(refused.output()).toContain('OPS_PASSWORD: must have at least 16 characters; make one with')
  expect(refused.output()).not.toContain('too short')

  const web = await house.startWeb({ OPS_PASSWORD: PASSWORD })
  const answer = await fetch(`${web.url}/ops/api/queues`, { headers: basic(PASSWORD) })
  expect(answer.status).toBe(200)
  await answer.json()
  expect(await web.end('SIGTERM')).toMatchObject({ code: 0 })
})
