import { UnrecoverableError } from 'bullmq'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCHEMA_VERSION } from '../../db/postgres/application-name.ts'
import { queryRows } from '../../db/postgres/database.ts'
import manifest from '../../package.json' with { type: 'json' }
import { startBatchWorker } from '../../worker/batches/batch-worker.ts'
import { anUpload } from '../support/captures.ts'
import { call, logIn, upload } from '../support/client.ts'
import { runAdminHere } from '../support/run-admin.ts'
import { BACKENDS, type Service, startService } from '../support/service.ts'
import { killProcesses, paasEnv, startProcess } from '../support/start-process.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { startTestStack } from '../support/test-stack.ts'

afterAll(killProcesses)

const PASSWORD = 'a long passphrase of operators'

const basic = (password: string, user = 'operator') => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** The queue and problems, as far as the tests read them. */
interface Answered {
  readonly store: string
  readonly counts: Record<string, number>
  readonly waiting: readonly Record<string, unknown>[]
  readonly failed: readonly Record<string, unknown>[]
  readonly title: string
  readonly detail: string
}

const read = async (answer: Response) => (await answer.json()) as Answered

const look = (service: Service, path: string, init: RequestInit = { headers: basic(PASSWORD) }) =>
  fetch(`${service.url}${path}`, init)

describe.each(BACKENDS)('the pages for operators, with the queue on %s', (backend) => {
  test('show counts and jobs, but no reference numbers, with the password', async () => {
    const service = await startService({ backend, worker: false, opsPassword: PASSWORD })
    const tenant = await service.openTenant()
    const body = anUpload()
    await upload(service.url, tenant.uploaderKey, body)

    const queue = async () => read(await look(service, '/ops/queue.json'))
    await expect.poll(async () => (await queue()).waiting.length).toBe(1)
    const shown = await queue()
    expect(shown).toMatchObject({
      store: backend === 'redis' ? 'Redis' : 'Postgres',
      counts: { active: 0, delayed: 0, failed: 0 },
      waiting: [{ datasets: 1, subscriptions: 1, attempts: 0 }],
    })
    expect((shown.counts.waiting ?? 0) + (shown.counts.prioritized ?? 0)).toBe(1)
    expect(JSON.stringify(shown)).not.toContain(body.referenceNumber)

    for (const path of ['/ops', '/ops/', '/OPS', '/ops/queue']) {
      const page = await look(service, path)
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self';")
      expect(page.headers.get('cache-control')).toBe('no-store')
      const text = await page.text()
      expect(text).not.toContain(body.referenceNumber)
      const [, sheet] = /href="([^"]+\.css)"/.exec(text) ?? []
      const file = await look(service, `${sheet}`)
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
      await file.arrayBuffer()
    }
    expect((await look(service, '/ops/api/queues')).status).toBe(404)
    await service.stop()
  })

  test('show why a job failed, as escaped text', async () => {
    const service = await startService({ backend, worker: false, opsPassword: PASSWORD })
    const failing = startBatchWorker(service.location, {
      concurrency: 1,
      process: async () => {
        throw new UnrecoverableError('<script>alert("1 & 2")</script>')
      },
      onError: () => undefined,
    })
    await service.producer.enqueue([{ subscriptionId: 1, id: 1 }])
    await expect
      .poll(async () => (await read(await look(service, '/ops/queue.json'))).failed)
      .toMatchObject([{ datasets: 1, failedReason: '<script>alert("1 & 2")</script>' }])
    const page = await (await look(service, '/ops/queue')).text()
    expect(page).toContain('&lt;script&gt;alert(&quot;1 &amp; 2&quot;)&lt;/script&gt;')
    expect(page).not.toContain('<script')
    await failing.close()
    await service.stop()
  })

  test('are read-only: the queue cannot be changed there', async () => {
    const service = await startService({ backend, worker: false, opsPassword: PASSWORD })
    for (const path of ['/ops/queue.json', '/ops/queue', '/ops'])
      for (const method of ['PUT', 'POST', 'DELETE', 'PATCH']) {
        const answer = await look(service, path, { method, headers: basic(PASSWORD) })
        expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
        expect((await read(answer)).title).toBe('method_not_allowed')
      }
    await service.stop()
  })
})

describe('without the password', () => {
  test('nothing is shown: no password, a wrong one, another user, a login token, an API key', async () => {
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
      for (const path of ['/ops', '/OPS/queue.json', '/ops/style.css']) {
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

  test('guessing is limited: after ten wrong passwords an address is blocked', async () => {
    const service = await startService({ worker: false, opsPassword: PASSWORD })
    for (let n = 0; n < 10; n++)
      expect((await look(service, '/ops', { headers: basic(`guess ${n}`) })).status).toBe(401)
    const answer = await look(service, '/ops')
    expect([answer.status, (await read(answer)).title]).toEqual([429, 'rate_limited'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(800)
    await service.stop()
  })

  test('the pages are disabled where no operator has an account and no password is set, also in a browser', async () => {
    const service = await startService({ worker: false })
    for (const path of ['/ops', '/ops/queue.json', '/Ops/'])
      for (const accept of ['*/*', 'text/html']) {
        const answer = await look(service, path, { headers: { ...basic(PASSWORD), accept } })
        expect([answer.status, (await read(answer)).title]).toEqual([404, 'route_not_found'])
      }
    await service.stop()
  })
})

describe('an operator with an account', () => {
  const OWN = 'a passphrase of ann alone'
  let service: Service
  const admin = async (...args: string[]) => {
    const answer = await runAdminHere(['operator', ...args], {
      env: paasEnv({ databaseUrl: service.location.database.url }),
      stdin: args.includes('--password-stdin') ? OWN : '',
    })
    expect(answer).toMatchObject({ code: 0, stderr: '' })
    return JSON.parse(answer.stdout)
  }
  const open = async (user: string, password: string, address = '198.51.100.1') => {
    const headers = { ...basic(password, user), 'X-Real-IP': address }
    const answer = await look(service, '/ops', { headers })
    return { status: answer.status, text: await answer.text() }
  }
  const logged = () =>
    service.logged.map((line) => JSON.parse(line)).filter(({ event }) => event === 'operator.login')

  beforeAll(async () => {
    service = await startService({ worker: false, trustedProxies: ['127.0.0.1'] })
  })
  afterAll(() => service.stop())

  test('signs in by name and password, is named in the log, and sees the role of web in Postgres', async () => {
    expect(await admin('create', 'ann', '--password-stdin')).toMatchObject({ name: 'ann', lastUsedAt: null })
    const { status, text } = await open('ann', OWN)
    expect(status).toBe(200)
    expect(text).toContain('Role of web in Postgres: inkling_runtime, which can change neither tables')
    expect(text).toContain('Jobs hold references only')
    const { operators } = await admin('list')
    expect(operators).toMatchObject([{ name: 'ann', lastUsedAt: expect.any(String), disabledAt: null }])
    expect(JSON.stringify(operators)).not.toContain('argon2')
    expect(logged()).toMatchObject([
      { actorKind: 'operator', actorId: operators[0].id, outcome: 'success', event: 'operator.login' },
    ])
  })

  test('is hashed once in a minute, and rejected at once when disabled or given another password', async () => {
    await service.db('login_attempts').delete()
    for (let n = 0; n < 3; n++) expect((await open('ann', OWN)).status).toBe(200)
    expect(await service.db('login_attempts')).toEqual([]) // each password that is hashed counts as an attempt

    await admin('disable', 'ann')
    expect((await open('ann', OWN)).status).toBe(401)
    await admin('enable', 'ann')
    expect((await open('ann', OWN)).status).toBe(200)
    await queryRows(service.db, "update operators set password_hash = password_hash || 'x'")
    expect((await open('ann', OWN)).status).toBe(401)
    await admin('password', 'ann', '--password-stdin')
    expect((await open('ann', OWN)).status).toBe(200)
    expect(logged().map(({ reason }) => reason)).toContain('suspended')
  })

  test('is guessed ten times at most, from any addresses; others and known addresses go on', async () => {
    for (let n = 0; n < 10; n++) expect((await open('ann', `guess ${n}`, `203.0.113.${n}`)).status).toBe(401)
    expect((await open('ann', OWN, '203.0.113.99')).status).toBe(429)
    expect((await open('ann', OWN)).status).toBe(200)
    expect((await open('nobody', OWN, '203.0.113.98')).status).toBe(401)
    expect((await open('operator', OWN, '203.0.113.98')).status).toBe(401)
    await service.flushCounts()
    const counts = await service.db('security_event_counts').where('event', 'like', 'operator.%')
    expect(counts.map(({ event, reason }) => `${event} ${reason}`.trim()).toSorted()).toEqual([
      ...['operator.create', 'operator.disable', 'operator.enable', 'operator.login'],
      ...['operator.login suspended', 'operator.login throttled', 'operator.login unknown_user'],
      ...['operator.login wrong_password', 'operator.password'],
    ])
    expect(service.logged.join('\n')).not.toContain(OWN)
  })

  test.each([
    [['create', 'operator', '--password-stdin'], 2, '"operator" is not a name'],
    [['create', 'Ann Example', '--password-stdin'], 2, 'is not a name'],
    [['create', 'ann', '--password-stdin'], 1, 'An operator with the name ann already exists'],
    [['disable', 'bob'], 1, 'No such operator: "bob"'],
  ])('is rejected by scripts/admin operator %j', async (args, code, message) => {
    const answer = await runAdminHere(['operator', ...args], {
      env: paasEnv({ databaseUrl: service.location.database.url }),
      stdin: OWN,
    })
    expect(answer).toEqual({ code, stdout: '', stderr: expect.stringContaining(message) })
  })
})

test('the pages report that Redis is unavailable, and return with it', async () => {
  let redis: TcpProxy | undefined
  const service = await startService({
    worker: false,
    opsPassword: PASSWORD,
    routeRedis: async (url) => {
      redis = await openTcpProxy(url)
      return redis.url
    },
  })
  const statusOf = async () => (await look(service, '/ops/queue.json')).status
  expect(await statusOf()).toBe(200)
  await redis?.cut()
  const answer = await look(service, '/ops/queue.json')
  expect([answer.status, (await read(answer)).detail]).toEqual([
    503,
    'Redis, which holds the queue, is unavailable',
  ])
  const overview = await look(service, '/ops')
  expect(overview.status).toBe(200)
  const text = await overview.text()
  expect(text).toContain('<li>The queue is unavailable: uploads wait until it is back.</li>')
  expect(text).toContain('<p>Redis is unavailable.</p>')
  await redis?.restore()
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(200)
  await service.stop()
  await redis?.cut()
})

test('web does not start with a short password, serves the pages with a long one, and stops while they are open', async () => {
  await using stack = await startTestStack()
  const rejected = startProcess('web', { ...stack.env, OPS_PASSWORD: 'too short' })
  expect(await rejected.ended).toMatchObject({ code: 1 })
  expect(rejected.output()).toContain('OPS_PASSWORD: must have at least 16 characters; create one with')
  expect(rejected.output()).not.toContain('too short')

  const web = await stack.startWeb({ OPS_PASSWORD: PASSWORD })
  const answer = await fetch(`${web.url}/ops/queue.json`, { headers: basic(PASSWORD) })
  expect(answer.status).toBe(200)
  await answer.json()
  const overview = await (await fetch(`${web.url}/ops`, { headers: basic(PASSWORD) })).text()
  expect(overview).toMatch(
    new RegExp(`<td>web [0-9a-f]{8}</td><td>${manifest.version}</td><td>${SCHEMA_VERSION}</td>`),
  )
  expect(web.logged().map(({ msg }) => msg)).toContainEqual(
    expect.stringMatching(/^OPS_PASSWORD is deprecated/),
  )
  expect(await web.end('SIGTERM')).toMatchObject({ code: 0 })
})
