import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Problem } from '../../api/http/problem.ts'
import { beginDueWindow, openWindow } from '../../api/http/request-window.ts'
import { limitItem, policyItem } from '../../api/limits/limit-fields.ts'
import { openLimiter } from '../../api/limits/limiter.ts'
import { openSubject } from '../../api/limits/subject.ts'
import { createApiKey } from '../../db/accounts/api-keys.ts'
import { receiveDatasets } from '../../db/datasets/receive-datasets.ts'
import { changeRetention } from '../../db/datasets/retention.ts'
import { startRecording } from '../../db/events/recording.ts'
import {
  type DefaultLimits,
  type LimitSettings,
  NO_DEFAULTS,
  NO_SETTINGS,
} from '../../db/limits/default-limits.ts'
import { changeLimits, WHOLE } from '../../db/limits/limits.ts'
import { findStoredBytes, measureStoredBytes } from '../../db/limits/stored-bytes.ts'
import { openDatabase } from '../../db/postgres/database.ts'
import { measureStored } from '../../worker/maintenance/measure-stored.ts'
import { anActor } from '../support/actors.ts'
import { anUpload } from '../support/captures.ts'
import { type Answer, call, logIn, readByCode, upload } from '../support/client.ts'
import { aSegment } from '../support/collections.ts'
import { anOpening, makeSiteKey, sendFromPage } from '../support/pages.ts'
import { addUser, type Service, startService, type Tenant } from '../support/service.ts'
import { aStoredUpload } from '../support/workbench.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ worker: false, trustedProxies: ['127.0.0.1'] })
})
afterAll(() => service.stop())

/** Opens a subscription with limits that this process knows. */
async function openLimited(change: Partial<LimitSettings>): Promise<Tenant> {
  const tenant = await service.openTenant()
  await limit(tenant, change)
  return tenant
}

async function limit({ subscriptionId, uploaderKey }: Tenant, change: Partial<LimitSettings>): Promise<void> {
  await changeLimits(service.db, { subscriptionId, keyId: WHOLE, actor: anActor('operator'), change })
  await upload(service.url, uploaderKey, {}) // in use: the limits are read
  await service.flushCounts()
}

const send = (tenant: Tenant, body: unknown = anUpload()) => upload(service.url, tenant.uploaderKey, body)

const statusAndTitle = ({ status, body }: Answer) => [status, body.title]

const today = () => new Date().toISOString().slice(0, 10)

test('requests beyond the rate and its burst are rejected with the limit and the time, and those of others are not', async () => {
  const tenant = await openLimited({ requestsPerSecond: 1, burst: 20 })
  const other = await service.openTenant()
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => readByCode(service.url, tenant.requesterKey, 'unknown')),
  )
  const rejected = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 404).length).toBeGreaterThanOrEqual(19)
  expect(rejected.length).toBeGreaterThanOrEqual(10)
  const [first] = rejected as [Answer]
  expect(first.body).toMatchObject({
    title: 'rate_limited',
    detail: expect.stringContaining('20 requests at once'),
    limit: { name: 'subscription-requests', quota: 20, retryAt: expect.stringContaining('T') },
  })
  const retryAfter = Number(first.headers.get('retry-after'))
  expect(retryAfter).toBeGreaterThanOrEqual(1)
  expect(retryAfter).toBeLessThanOrEqual(20)
  expect(first.headers.get('ratelimit-policy')).toBe('"subscription-requests";q=20;w=20')
  expect(first.headers.get('ratelimit')).toMatch(/^"subscription-requests";r=0;t=(1?\d|20)$/)
  const others = await readByCode(service.url, other.requesterKey, 'unknown')
  expect([others.status, others.headers.get('ratelimit')]).toEqual([404, null])
})

test('datasets beyond the limit of the day are not stored, and the receipt of one before it is returned', async () => {
  const tenant = await openLimited({ datasetsPerDay: 3 })
  const accepted = anUpload()
  const first = await send(tenant, accepted)
  expect(first.headers.get('ratelimit-policy')).toBe('"subscription-datasets";q=3;qu="datasets";w=86400')
  expect(first.headers.get('ratelimit')).toMatch(/^"subscription-datasets";r=2;t=\d+$/)
  const answers = await Promise.all(Array.from({ length: 10 }, () => send(tenant)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2) // exact in one process
  const rejected = answers.find(({ status }) => status === 429) as Answer
  expect(rejected.body.limit).toMatchObject({ name: 'subscription-datasets', quota: 3 })
  const untilMidnight = Date.parse(`${today()}T24:00:00Z`) - Date.now()
  expect(Math.abs(Number(rejected.headers.get('retry-after')) * 1_000 - untilMidnight)).toBeLessThan(60_000)
  const repeated = await send(tenant, accepted)
  expect([repeated.status, repeated.body]).toEqual([200, first.body])
  await service.flushCounts()
  expect(statusAndTitle(await send(tenant))).toEqual([429, 'rate_limited'])
  const stored = await service.db('datasets').where({ subscription_id: tenant.subscriptionId })
  expect(stored).toHaveLength(3)
})

test('bytes are counted as they arrive and measured by a worker, so that deleting makes room', async () => {
  const tenant = await service.openTenant()
  const { subscriptionId } = tenant
  expect((await send(tenant)).status).toBe(200)
  const { bytes } = await service
    .db('datasets')
    .where({ subscription_id: subscriptionId })
    .select(service.db.raw('octet_length(blob) as bytes'))
    .first()
  await limit(tenant, { bytesStored: Math.floor(bytes * 1.5) })
  const rejected = await send(tenant)
  expect([rejected.status, rejected.body.limit?.name]).toEqual([429, 'subscription-bytes'])
  expect(rejected.headers.get('ratelimit')).toMatch(/^"subscription-bytes";r=\d+$/)

  const measure = () =>
    measureStored({ db: service.db, log: pino({ level: 'silent' }) }, new AbortController().signal)
  await measure()
  const storedBytes = async () =>
    (await service.db('stored_bytes').where({ subscription_id: subscriptionId }).first()).bytes
  expect(await storedBytes()).toBe(bytes)
  await service.db('datasets').where({ subscription_id: subscriptionId }).update({ blob: null })
  await service.flushCounts() // says that room was wanted
  await service
    .db('stored_bytes')
    .where({ subscription_id: subscriptionId })
    .update({ wanted_at: new Date(Date.now() + 1_000) })
  await measure()
  expect(await storedBytes()).toBe(0)
  await send(tenant)
  await service.flushCounts()
  expect((await send(tenant)).status).toBe(200)
})

test('a measurement begins behind the captures that retention has removed, and counts those that it left', async () => {
  const { subscriptionId } = await service.openTenant()
  const uploads = ['a', 'bb', 'cccc', 'dddddddd'].map((text) =>
    aStoredUpload(subscriptionId, { blob: Buffer.from(text) }),
  )
  const receipts = await receiveDatasets(service.db, uploads)
  const ids = receipts.map((receipt) => (receipt.outcome === 'received' ? receipt.key.id : 0))
  await changeRetention(service.db, subscriptionId, { blobDays: 90 })
  await service
    .db('retention_policies')
    .where({ subscription_id: subscriptionId })
    .update({ blobs_through: ids[1], blobs_postponed: [ids[0]] })
  while ((await measureStoredBytes(service.db, subscriptionId, 1)) !== 'complete');
  expect((await findStoredBytes(service.db, subscriptionId)).bytes).toBe(1 + 4 + 8)
})

describe('a collection', () => {
  const page = (path: string, body: unknown) => sendFromPage(service.url, path, JSON.stringify(body))

  test('beyond the limit is not opened, one that is open keeps its segments and is completed later', async () => {
    const tenant = await openLimited({ datasetsPerDay: 1 })
    const key = await makeSiteKey(service.db, tenant.subscriptionId)
    const opening = anOpening({ referenceNumber: crypto.randomUUID() })
    const opened = await page(`/c/open?k=${key}`, opening)
    const { collection } = opened.body
    expect(opened.status).toBe(200)
    expect((await send(tenant)).status).toBe(200) // the last dataset of the day

    const late = await page(`/c/open?k=${key}`, anOpening({ referenceNumber: crypto.randomUUID() }))
    expect([late.status, late.body.limit?.name]).toEqual([429, 'subscription-datasets'])
    expect((await page(`/c/open?k=${key}`, opening)).body.collection).toBe(collection) // a repeated request
    const last = { segments: 1, last: aSegment(0) }
    const complete = () => page(`/c/complete?c=${collection}`, last)
    expect(statusAndTitle(await complete())).toEqual([429, 'rate_limited'])
    const segments = await service.db('collection_segments').where({ subscription_id: tenant.subscriptionId })
    expect(segments).toHaveLength(1)

    await limit(tenant, { datasetsPerDay: 2 })
    const completed = await complete()
    expect([completed.status, completed.body.referenceNumber]).toEqual([200, opening.referenceNumber])
    expect(statusAndTitle(await send(tenant))).toEqual([429, 'rate_limited']) // it counted
    expect((await complete()).body).toEqual(completed.body) // a repeated request has the same receipt
  })

  test('of level claimed is complete without a limit, and claimed within it', async () => {
    const tenant = await openLimited({ datasetsPerDay: 1 })
    const key = await makeSiteKey(service.db, tenant.subscriptionId, { level: 'claimed' })
    const { collection } = (await page(`/c/open?k=${key}`, anOpening())).body
    expect((await send(tenant)).status).toBe(200)
    const completed = await page(`/c/complete?c=${collection}`, { segments: 1, last: aSegment(0) })
    expect(completed.status).toBe(200)
    const claim = () =>
      call(service.url, 'POST', '/api/collections/v1/claims', {
        token: tenant.uploaderKey,
        body: { collection, referenceNumber: `claimed-${collection}` },
      })
    expect(statusAndTitle(await claim())).toEqual([429, 'rate_limited'])
    await limit(tenant, { datasetsPerDay: 2 })
    expect((await claim()).status).toBe(200)
  })
})

test('a key is used from its networks only, and an attempt from another is a security event', async () => {
  const { subscriptionId } = await service.openTenant()
  const networks = ['203.0.113.0/24', '198.51.100.7', '2001:db8::/32']
  const { id, key } = await createApiKey(service.db, { subscriptionId, role: 'uploader', networks })
  const from = async (address: string) => {
    const answer = await call(service.url, 'POST', '/api/datasets/v1/upload', {
      token: key,
      body: anUpload(),
      headers: { 'X-Real-IP': address },
    })
    return answer.status === 200 ? 200 : answer.body.title
  }
  for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '198.51.100.7', '2001:db8:1::2'])
    expect(await from(address), address).toBe(200)
  for (const address of ['203.0.114.1', '198.51.100.8', '2001:db9::1', '127.0.0.1'])
    expect(await from(address), address).toBe('network_not_allowed')
  await service.flushCounts()
  const events = await service
    .db('audit_events')
    .where({ subscription_id: subscriptionId, action: 'key.denied' })
  expect(events.map(({ actor_id, address, outcome }) => [actor_id, address, outcome])).toContainEqual([
    ...[id, '2001:db9::1', 'denied'],
  ])
})

test('an admin creates keys that expire in a year unless asked otherwise, with networks', async () => {
  const tenant = await service.openTenant()
  const userEmail = `admin-${crypto.randomUUID()}@lender.example`
  await addUser(service.db, tenant.subscriptionId, userEmail, 'admin')
  const token = await logIn(service.url, { userEmail })
  const create = (more: object) =>
    call(service.url, 'POST', '/api/keys/v1', { token, body: { label: 'x', role: 'uploader', ...more } })
  const networks = ['203.0.113.0/24', '2001:db8::/32', '198.51.100.7']
  for (const more of [{}, { expiresInDays: 'never' }, { expiresInDays: 7, networks }])
    expect((await create(more)).status).toBe(200)
  const invalid = [
    '10.0.0.0/33',
    '10.0.0',
    'fe80::1%eth0',
    'localhost',
    '::/129',
    '10.0.0.0/8/8',
    '1.2.3.4/',
    '',
  ]
  for (const entry of invalid)
    expect([entry, (await create({ networks: [entry] })).body.errors]).toEqual([
      entry,
      { 'networks.0': [expect.stringContaining('must be an address or a network')] },
    ])
  const { items } = (await call(service.url, 'GET', '/api/keys/v1', { token })).body
  const daysOf = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string | null }) =>
    expiresAt && Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000)
  expect(items.slice(0, 3).map((item: never) => daysOf(item))).toEqual([7, null, 365])
  expect(items[0].networks).toEqual(networks)
})

test('an admin sees limits and use of the subscription and of its keys', async () => {
  const tenant = await service.openTenant()
  const { subscriptionId } = tenant
  const userEmail = `admin-${crypto.randomUUID()}@lender.example`
  await addUser(service.db, subscriptionId, userEmail, 'admin')
  const token = await logIn(service.url, { userEmail })
  const [{ id: keyId }] = await service
    .db('api_keys')
    .where({ subscription_id: subscriptionId, role: 'uploader' })
  const change = (keyId: number, change: Partial<LimitSettings>) =>
    changeLimits(service.db, { subscriptionId, keyId, actor: anActor('operator'), change })
  await change(WHOLE, { bytesStored: 5_000_000 })
  await change(keyId, { requestsPerSecond: 50, datasetsPerDay: 100 })
  await change(keyId, { datasetsPerDay: 200 })
  expect((await send(tenant)).status).toBe(200)
  expect((await send(tenant, {})).status).toBe(400)
  await service.flushCounts()
  const { body } = await call(service.url, 'GET', '/api/limits/v1', { token })
  expect(body).toMatchObject({
    day: today(),
    subscription: {
      requests: { perSecond: null, burst: null, today: 2 },
      datasets: { perDay: null, today: 1 },
      bytes: { limit: 5_000_000, stored: expect.any(Number), measuredAt: null },
    },
  })
  expect(body.subscription.bytes.stored).toBeGreaterThan(100)
  expect(body.keys.length).toBe(2)
  expect(body.keys).toContainEqual({
    ...{ id: keyId, label: null, requests: { perSecond: 50, burst: 500, today: 2 } },
    datasets: { perDay: 200, today: 1 },
  })
  const events = await service
    .db('audit_events')
    .where({ subscription_id: subscriptionId, action: 'limits.change' })
  expect(events.map(({ subject }) => subject)).toEqual([null, String(keyId), String(keyId)])
})

describe('a limiter', () => {
  const LIMITED: DefaultLimits = {
    subscription: { ...NO_SETTINGS, requestsPerSecond: 10, datasetsPerDay: 1 },
    key: NO_SETTINGS,
  }

  test('goes on while Postgres is unavailable, and rejects nobody for it', async () => {
    const db = openDatabase({ url: 'postgres://127.0.0.1:1/none', poolMax: 2 })
    const errors: unknown[] = []
    const limiter = openLimiter(db, LIMITED, (error) => errors.push(error))
    const owner = { subscriptionId: 1, keyId: 1 }
    for (let n = 0; n < 1_000; n++) limiter.countRequest(owner)
    const reserved = limiter.reserve(owner, 10)
    if (reserved instanceof Problem) throw reserved
    reserved.keep()
    await expect(limiter.sync({ all: true })).rejects.toThrow()
    expect(limiter.reserve(owner, 10)).not.toBeInstanceOf(Problem)
    await expect.poll(() => errors).toHaveLength(1)
    await db.destroy()
  })

  test('reports a limit that is reached as an event, once a day whichever process turns requests away', async () => {
    const { subscriptionId } = await service.openTenant()
    const key = await createApiKey(service.db, { subscriptionId, scopes: ['datasets:write'] })
    for (const [keyId, change] of [
      [WHOLE, { bytesStored: 10 }],
      [key.id, { requestsPerSecond: 1, burst: 1 }],
    ] as const)
      await changeLimits(service.db, { subscriptionId, keyId, actor: anActor('operator'), change })
    /** Reaches both limits in a process that has just started. */
    const reach = async () => {
      const limiter = openLimiter(service.db, NO_DEFAULTS, (error) => expect(error).toBeUndefined())
      const owner = { subscriptionId, keyId: key.id }
      limiter.noteKeyUse(owner)
      await limiter.sync({ all: true })
      for (let n = 0; n < 3; n++) expect(limiter.reserve(owner, 11)).toBeInstanceOf(Problem)
      limiter.countRequest(owner)
      for (let n = 0; n < 3; n++) expect(() => limiter.countRequest(owner)).toThrow(Problem)
      await limiter.sync()
    }
    const listAlerts = async () =>
      (
        await service
          .db('events')
          .where({ subscription_id: subscriptionId, type: 'alert.limit_reached' })
          .orderByRaw("data ->> 'limit'")
      ).map(({ data }) => data)

    await reach()
    expect(await listAlerts()).toEqual([]) // nothing is recorded yet
    await startRecording(service.db, subscriptionId)
    await Promise.all([reach(), reach(), reach()])
    await reach()
    const day = today()
    expect(await listAlerts()).toEqual([
      { limit: 'key-requests', quota: 1, day, keyId: key.id },
      { limit: 'subscription-bytes', quota: 10, day },
    ])
    // it was yesterday
    await service
      .db('daily_alerts')
      .where({ subscription_id: subscriptionId })
      .update({ day: service.db.raw('day - 1') })
    await reach()
    expect(await listAlerts()).toHaveLength(4)
  })

  test('reports a limit for the day on which it was reached, also when it can be recorded only later', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-22T23:59:59.900Z') })
    try {
      const owner = { subscriptionId: 1, keyId: WHOLE }
      const subject = openSubject(owner.subscriptionId, owner.keyId)
      subject.learn(
        { ...owner, settings: NO_SETTINGS, day: '2026-11-22', requests: 0, datasets: 1, bytes: 0 },
        { requests: null, datasetsPerDay: 1, bytesStored: null },
      )
      expect(subject.findReached(0)).toBeInstanceOf(Problem)
      vi.setSystemTime(new Date('2026-11-23T00:00:01Z'))
      expect(subject.takeReached(0)).toEqual([
        { ...owner, name: 'subscription-datasets', quota: 1, day: '2026-11-22' },
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  test('takes what other processes admitted beyond a window from the next ones', () => {
    const quota = { requests: 100, windowMs: 1_000 }
    const window = openWindow()
    beginDueWindow(window, quota, 5_000)
    window.used += 100 // here
    window.used += 150 // elsewhere
    const usedAt = (at: number) => {
      beginDueWindow(window, quota, at)
      return window.used
    }
    expect([5_999, 6_000, 6_999, 7_000, 8_000].map(usedAt)).toEqual([250, 150, 150, 50, 0])
    window.used = 250
    expect(usedAt(60_000)).toBe(0) // after a pause, nothing is owed
  })

  test('describes limits as structured fields', () => {
    expect([policyItem('key-requests', 500, 0.5), limitItem('key-requests', -3, 200)]).toEqual([
      '"key-requests";q=500;w=1',
      '"key-requests";r=0;t=1',
    ])
    expect([
      policyItem('subscription-bytes', 1e15, undefined),
      limitItem('subscription-bytes', 7, undefined),
    ]).toEqual(['"subscription-bytes";q=999999999999999;qu="content-bytes"', '"subscription-bytes";r=7'])
  })
})
