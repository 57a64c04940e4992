import { once } from 'node:events'
import { Agent, type ClientRequest, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { type Db, openDatabase } from '../../db/postgres/database.ts'
import { aPost } from '../support/bad-requests.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { call, logIn, readByCode, readInsight, upload } from '../support/client.ts'
import { openRawConnection } from '../support/raw-connection.ts'
import { BACKENDS, openTenant, type Tenant } from '../support/service.ts'
import {
  killProcesses,
  paasEnv,
  runRelease,
  type StartedProcess,
  startProcess,
  startWeb,
  startWorker,
  type WebProcess,
} from '../support/start-process.ts'
import { claimRedisUrl, openEmptyDatabase, type TestDatabase } from '../support/stores.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

/** Long, so that an end within half of it waited for nothing, however slow the machine is. */
const DRAIN_SECONDS = 20

afterAll(killProcesses)

describe.each(BACKENDS)('with the queue on %s', (backend) => {
  let stored: TestDatabase
  let db: Db
  let tenant: Tenant
  let env: Record<string, string>
  let web: WebProcess
  let worker: StartedProcess

  beforeAll(async () => {
    stored = await openEmptyDatabase()
    const redisUrl = backend === 'redis' ? await claimRedisUrl() : undefined
    env = paasEnv({ databaseUrl: stored.url, redisUrl }, { DRAIN_SECONDS: String(DRAIN_SECONDS) })
    await runRelease(env)
    db = openDatabase({ url: stored.url, poolMax: 2 })
    tenant = await openTenant(db)
    ;[web, worker] = await Promise.all([startWeb(env), startWorker(env)])
  })
  afterAll(async () => {
    await killProcesses()
    await db.destroy()
    await stored.drop()
  })

  test('web reports that it is alive and ready', async () => {
    expect(await call(web.url, 'GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
    expect(await call(web.url, 'GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  test('the worker turns an upload into an insight', async () => {
    const body = anUpload()
    expect((await upload(web.url, tenant.uploaderKey, body)).status).toBe(200)
    const token = await logIn(web.url, tenant)
    const { status, body: insight } = await readInsight(web.url, token, body.referenceNumber)
    expect(status).toBe(200)
    expect(insight.scores).not.toEqual([])
    // a warning about a new, empty queue is possible while something waits
    const warned = worker
      .logged()
      .filter(({ level, msg }) => level >= 40 && !msg.startsWith('the queue is empty'))
    expect(warned).toEqual([])
  })

  test('web and worker drain on SIGINT', async () => {
    await expectDrained(web, 'SIGINT')
    await expectDrained(worker, 'SIGINT')
  })

  test('the worker finishes the jobs in progress at SIGTERM', async () => {
    web = await startWeb(env) // without a worker, so that the uploads wait for one
    const uploads = Array.from({ length: 40 }, () => anUpload())
    for (const body of uploads) await upload(web.url, tenant.uploaderKey, body)
    const draining = await startWorker({ ...env, WORKER_CONCURRENCY: '2' })
    expect(await draining.end('SIGTERM')).toMatchObject({ code: 0 })
    // of this database: other test files share the server
    const locked = `select count(*)::int as locked from pg_locks where not granted
                    and pid in (select pid from pg_stat_activity where datname = current_database())`
    expect((await db.raw(locked)).rows).toEqual([{ locked: 0 }])
    worker = await startWorker(env)
    for (const { referenceNumber } of uploads)
      expect((await readByCode(web.url, tenant.requesterKey, referenceNumber)).status).toBe(200)
  })

  test('web and worker drain on SIGTERM', async () => {
    await expectDrained(web, 'SIGTERM')
    await expectDrained(worker, 'SIGTERM')
  })
})

/** Sends a signal, after which the process logs nothing but that it drains and has stopped. */
async function expectDrained(process: StartedProcess, signal: 'SIGINT' | 'SIGTERM'): Promise<void> {
  const messages = () => process.logged().flatMap(({ msg }) => (msg === 'request' ? [] : [msg])) // logged after the response
  const before = messages()
  const ending = await process.end(signal)
  expect(ending).toMatchObject({ code: 0, signal: null })
  expect(ending.ms).toBeLessThan((DRAIN_SECONDS * 1_000) / 2)
  expect(messages()).toEqual([...before, 'draining', 'stopped'])
}

describe('web', () => {
  let stack: TestStack
  let db: Db
  let tenant: Tenant
  let env: Record<string, string>

  beforeAll(async () => {
    stack = await startTestStack({ env: { DRAIN_SECONDS: String(DRAIN_SECONDS) } })
    ;({ db, tenant, env } = stack)
  })
  afterAll(async () => {
    await killProcesses()
    await stack[Symbol.asyncDispose]()
  })

  test('completes uploads in flight at SIGTERM, even after repeated signals, and accepts no new ones', async () => {
    const web = await startWeb(env)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { send, answered } = await beginUpload(web.url, tenant.uploaderKey, agent)
    void web.end('SIGTERM')
    await web.waitForLog('draining')
    void web.end('SIGTERM')
    void web.end('SIGINT')
    await expect(fetch(`${web.url}/healthz`)).rejects.toThrow('fetch failed')
    send()
    expect((await answered).status).toBe(200)
    const ending = await web.ended
    expect(ending).toMatchObject({ code: 0, signal: null })
    expect(ending.ms).toBeLessThan((DRAIN_SECONDS * 1_000) / 2) // without waiting for the client, which keeps the connection open
    agent.destroy()
  })

  test('announces the closing of connections while draining, also for requests with Expect: 100-continue', async () => {
    const web = await startWeb(env)
    using connection = await openRawConnection(web.url)
    const inFlight = aPost(tenant.uploaderKey)
    connection.send(inFlight.subarray(0, -10))
    await sleep(200) // the server has received it by now
    void web.end('SIGTERM')
    await web.waitForLog('draining')
    connection.send(
      Buffer.concat([inFlight.subarray(-10), aPost(tenant.uploaderKey, 'Expect: 100-continue')]),
    )
    expect((await connection.receive()).status).toBe(200)
    expect((await connection.receive()).status).toBe(100)
    expect(await connection.receive()).toMatchObject({ status: 200, headers: { connection: 'close' } })
    expect(await web.ended).toMatchObject({ code: 0, signal: null })
  })

  test('closes connections on which nothing was sent', async () => {
    const web = await startWeb(env)
    using _silent = await openRawConnection(web.url)
    await sleep(200) // the server has accepted it by now
    const ending = await web.end('SIGTERM')
    expect(ending).toMatchObject({ code: 0, signal: null })
    expect(ending.ms).toBeLessThan((DRAIN_SECONDS * 1_000) / 2)
  })

  test('exits although clients keep sending requests on keep-alive connections, and records security events of the last moment', async () => {
    const web = await startWeb(env)
    const statuses = new Set<number>()
    const asking = Array.from({ length: 4 }, async () => {
      for (;;) statuses.add((await fetch(`${web.url}/healthz`)).status)
    }).map((client) => client.catch(() => undefined))
    await sleep(200)
    const login = { userEmail: tenant.userEmail, password: 'wrong at the last moment' }
    expect((await call(web.url, 'POST', '/api/account/v1/login', { body: login })).status).toBe(401)
    const ending = await web.end('SIGTERM')
    expect(ending).toMatchObject({ code: 0, signal: null })
    expect(ending.ms).toBeLessThan((DRAIN_SECONDS * 1_000) / 2)
    await Promise.all(asking)
    expect([...statuses]).toEqual([200])
    const events = await db('audit_events').where({
      subscription_id: tenant.subscriptionId,
      outcome: 'failure',
    })
    expect(events).toMatchObject([{ action: 'session.login', detail: { reason: 'wrong_password' } }])
  })

  test('answers requests that wait for an insight at SIGTERM if their wait ends before the drain timeout', async () => {
    const web = await startWeb({ ...env, INSIGHT_WAIT_MS: '1500' })
    const body = anUpload()
    await upload(web.url, tenant.uploaderKey, body)
    const reading = readByCode(web.url, tenant.requesterKey, body.referenceNumber)
    await sleep(300) // no worker runs, so it waits
    const ending = await web.end('SIGTERM')
    expect(await reading).toMatchObject({ status: 503, body: { title: 'insight_not_ready' } })
    expect(ending).toMatchObject({ code: 0, signal: null })
  })

  test('exits within DRAIN_SECONDS even if a request waits longer for an insight and another is never completed', async () => {
    const web = await startWeb({ ...env, INSIGHT_WAIT_MS: '60000', DRAIN_SECONDS: '1' })
    const body = anUpload()
    await upload(web.url, tenant.uploaderKey, body)
    const reading = readByCode(web.url, tenant.requesterKey, body.referenceNumber)
    const { answered } = await beginUpload(web.url, tenant.uploaderKey, new Agent())
    const dropped = Promise.all([
      expect(reading).rejects.toThrow('fetch failed'),
      expect(answered).rejects.toThrow('socket hang up'),
    ])
    const ending = await web.end('SIGTERM')
    expect(ending.code).toBe(1)
    expect(ending.ms).toBeLessThan(5_000) // neither 60 s nor indefinitely
    await dropped
    expect(web.logged().at(-1)).toMatchObject({ level: 40, msg: 'not done within DRAIN_SECONDS' })
  })

  test('shares its signing key with other web processes through the database, even if they start at the same time', async () => {
    await db('token_keys').delete()
    const [one, other] = await Promise.all([startWeb(env), startWeb(env)])
    const token = await logIn(one.url, tenant)
    expect((await readInsight(other.url, token, 'none')).body.title).toBe('dataset_not_found')
    const later = await startWeb(env)
    expect((await readInsight(later.url, token, 'none')).body.title).toBe('dataset_not_found')
    expect((await db.raw('select count(*)::int as keys from token_keys')).rows).toEqual([{ keys: 1 }])
    await Promise.all([one, other, later].map((web) => web.end('SIGTERM')))
  })

  test('still accepts tokens signed with the later keys of TOKEN_SIGNING_KEYS', async () => {
    const [old, fresh] = [{ keys: [await makeSigningKey()] }, { keys: [await makeSigningKey()] }]
    const before = await startWeb({ ...env, TOKEN_SIGNING_KEYS: JSON.stringify(old) })
    const token = await logIn(before.url, tenant)
    await before.end('SIGTERM')

    const rotated = { keys: [...fresh.keys, ...old.keys] }
    const after = await startWeb({ ...env, TOKEN_SIGNING_KEYS: JSON.stringify(rotated) })
    expect((await readInsight(after.url, token, 'none')).body.title).toBe('dataset_not_found')
    const newToken = await logIn(after.url, tenant)
    await after.end('SIGTERM')

    const retired = await startWeb({ ...env, TOKEN_SIGNING_KEYS: JSON.stringify(fresh) })
    expect((await readInsight(retired.url, token, 'none')).body.title).toBe('unauthenticated')
    expect((await readInsight(retired.url, newToken, 'none')).body.title).toBe('dataset_not_found')
    await retired.end('SIGTERM')
  })

  // test/scripts/doctor.test.ts starts it with them, on a Postgres that keeps what it commits
  test('does not start in production without TOKEN_SIGNING_KEYS and DATA_ENCRYPTION_KEYS', async () => {
    const rejected = startProcess('web', { ...env, NODE_ENV: 'production' })
    expect(await rejected.ended).toMatchObject({ code: 1 })
    expect(rejected.output()).toBe(
      'The environment is not usable:\n' +
        '  TOKEN_SIGNING_KEYS: is required in production; create one with: scripts/admin token-key create\n' +
        '  DATA_ENCRYPTION_KEYS: is required in production; create one with: scripts/admin data-key create\n',
    )
  })
})

const ONE_ROLE =
  'Warning: DATABASE_OWNER_URL is not set, so web and worker use the role that owns the tables and can change the audit log. ' +
  'See "Two roles" in docs/operations/server.md\n'

describe('release', () => {
  test('migrates an empty database and reports it; the second run changes nothing', async () => {
    const stored = await openEmptyDatabase()
    const env = paasEnv({ databaseUrl: stored.url })
    expect(await runRelease(env)).toEqual({
      code: 0,
      output: expect.stringMatching(/^Applied 0001-initial.*\nWarning: DATABASE_OWNER_URL is not set.*\n$/),
    })
    expect(await runRelease(env)).toEqual({ code: 0, output: `The database is up to date\n${ONE_ROLE}` })
    await stored.drop()
  })

  test('fails with one sentence when Postgres is unavailable', async () => {
    const { code, output } = await runRelease(
      paasEnv({ databaseUrl: 'postgres://me:secret@127.0.0.1:1/none' }),
    )
    expect(code).toBe(1)
    expect(output).toContain('ECONNREFUSED')
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).not.toContain('secret')
  })
})

describe('every process', () => {
  test.each(['web', 'worker'])('%s exits with one sentence if the database is not migrated', async (type) => {
    const stored = await openEmptyDatabase()
    const process = startProcess(type, paasEnv({ databaseUrl: stored.url }))
    expect(await process.ended).toMatchObject({ code: 1 })
    expect(process.logged()).toMatchObject([
      { level: 60, msg: 'The database is not migrated: run the release process, scripts/node db/migrate.ts' },
    ])
    await stored.drop()
  })

  const FAULTY = {
    PORT: 'eighty',
    DATABASE_URL: 'mysql://me:hunter2@host/db',
    DATABASE_OWNER_URL: 'hunter2',
    REDIS_URL: 'hunter2',
    REDIS_TLS: 'hunter2',
    REDIS_CA: 'hunter2',
    DATABASE_POOL_MAX: '0',
    DATABASE_TLS: 'hunter2',
    DATABASE_CA: 'hunter2',
    DRAIN_SECONDS: '-1',
    LOG_LEVEL: 'hunter2',
    TOKEN_SIGNING_KEYS: 'hunter2',
    DATA_ENCRYPTION_KEYS: 'hunter2',
    TOKEN_TTL_MINUTES: '1e3',
    MAX_BODY_BYTES: '1',
    INSIGHT_WAIT_MS: '5s',
    PUBLIC_URL: 'https://hunter2/path',
    TRUSTED_PROXIES: '10.0.0.0/33',
    CLIENT_ADDRESS_HEADER: 'hunter2 hunter2',
    OPS_PASSWORD: 'hunter2',
    AUTOSCALE_TOKEN: 'hunter2',
    WORKER_CONCURRENCY: 'hunter2',
    WORKER_HEALTH_PORT: 'hunter2',
    WORKER_STUCK_SECONDS: 'hunter2',
    WEB_CONCURRENCY: 'hunter2',
  }
  const OF_STORES = ['DATABASE_URL', 'DATABASE_POOL_MAX', 'DATABASE_TLS', 'DATABASE_CA']
  const OF_BOTH = [
    ...OF_STORES,
    'REDIS_URL',
    'REDIS_TLS',
    'REDIS_CA',
    'DRAIN_SECONDS',
    'LOG_LEVEL',
    'DATA_ENCRYPTION_KEYS',
  ]
  const OF_WEB = [
    ...['PORT', 'WEB_CONCURRENCY', 'TOKEN_TTL_MINUTES', 'MAX_BODY_BYTES'],
    ...['INSIGHT_WAIT_MS', 'PUBLIC_URL', 'TRUSTED_PROXIES', 'CLIENT_ADDRESS_HEADER'],
    ...['OPS_PASSWORD', 'AUTOSCALE_TOKEN'],
  ]

  test.each([
    ['release', [...OF_STORES, 'DATABASE_OWNER_URL']],
    ['worker', [...OF_BOTH, 'WORKER_CONCURRENCY', 'WORKER_HEALTH_PORT', 'WORKER_STUCK_SECONDS']],
    ['web', [...OF_BOTH, ...OF_WEB, 'TOKEN_SIGNING_KEYS']],
  ])('%s reports all invalid variables at once, without their values', async (type, variables) => {
    const process = startProcess(type, { ...paasEnv({ databaseUrl: '' }), ...FAULTY })
    expect(await process.ended).toMatchObject({ code: 1 })
    const [title, ...faults] = process.output().trimEnd().split('\n')
    expect(title).toBe('The environment is not usable:')
    const named = faults.map((line) => /^ {2}(\w+): \S/.exec(line)?.[1])
    expect(named.toSorted()).toEqual(variables.toSorted())
    for (const value of ['hunter2', 'eighty', '1e3', '5s', '10.0.0.0/33'])
      expect(process.output()).not.toContain(value)
  })
})

/** Sends an upload without its last part, which `send` sends. */
async function beginUpload(
  url: string,
  key: string,
  agent: Agent,
): Promise<{ send: () => void; answered: Promise<{ status: number | undefined; body: unknown }> }> {
  const body = JSON.stringify(anUpload(aCapture()))
  const sending: ClientRequest = request(`${url}/api/datasets/v1/upload`, {
    method: 'POST',
    agent,
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    },
  })
  const answered = once(sending, 'response').then(async ([response]) => ({
    status: response.statusCode,
    body: await json(response),
  }))
  await new Promise<void>((resolve) => sending.write(body.slice(0, 50), () => resolve()))
  await sleep(200) // the server has received it by now
  return { send: () => sending.end(body.slice(50)), answered }
}
