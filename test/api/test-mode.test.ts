import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasModes } from '../../api/test-mode/modes.ts'
import { createAuditedApiKey, findApiKey } from '../../db/accounts/api-keys.ts'
import { suspendSubscription } from '../../db/accounts/subscriptions.ts'
import { findTestSubscription } from '../../db/accounts/test-subscriptions.ts'
import { enforceRetention } from '../../worker/maintenance/enforce-retention.ts'
import { relayOverdue } from '../../worker/maintenance/relay.ts'
import { anActor } from '../support/actors.ts'
import { anUpload } from '../support/captures.ts'
import { call, declared, logIn, upload } from '../support/client.ts'
import { aSegment } from '../support/collections.ts'
import { eventually } from '../support/eventually.ts'
import { anOpening, ORIGIN, sendFromPage } from '../support/pages.ts'
import { readToEnd } from '../support/read-to-end.ts'
import { nameOfRoute, REQUESTS, type Subject } from '../support/route-requests.ts'
import { addUser, type Service, startService, type Tenant } from '../support/service.ts'
import { PROJECT } from '../support/start-process.ts'

/** A subscription, the keys of its test mode, and its admin's token. */
interface Party extends Tenant {
  readonly token: string
  readonly testUploader: string
  readonly testRequester: string
  readonly testId: number
}

const log = pino({ level: 'silent' })

let service: Service
let ann: Party

beforeAll(async () => {
  service = await startService({ insightWaitMs: 5_000 })
  ann = await openParty()
})
afterAll(() => service.stop())

async function openParty(): Promise<Party> {
  const tenant = await service.openTenant()
  const { subscriptionId } = tenant
  const userEmail = `${crypto.randomUUID()}@lender.example`
  await addUser(service.db, subscriptionId, userEmail, 'admin')
  const key = async (role: 'uploader' | 'requester') => {
    const actor = anActor('a test')
    const made = await createAuditedApiKey(service.db, { subscriptionId, role, actor, mode: 'test' })
    return made?.key ?? ''
  }
  const [testUploader, testRequester] = [await key('uploader'), await key('requester')]
  const testId = (await findTestSubscription(service.db, subscriptionId)) ?? 0
  return { ...tenant, token: await logIn(service.url, { userEmail }), testUploader, testRequester, testId }
}

const make = (token: string, body: object, headers: Record<string, string> = {}) =>
  call(service.url, 'POST', '/api/test/v1/captures', { token, body, headers })

const read = (token: string, referenceNumber: string) =>
  call(service.url, 'GET', `/api/insights/v1/${encodeURIComponent(referenceNumber)}`, { token })

const TEST = { 'Inkling-Mode': 'test' }

const insightOf = (body: { insights: { code: string; value: unknown }[] }, code: string) =>
  body.insights.find((one) => one.code === code)?.value as Record<string, unknown>

test('an admin creates, lists and revokes test keys, whose prefix tells them apart', async () => {
  const send = (method: string, path: string, body?: object) =>
    call(service.url, method, path, { token: ann.token, ...(body && { body }) })
  const body = { label: 'a backend', role: 'uploader', mode: 'test' }
  const { body: created } = await send('POST', '/api/keys/v1', body)
  expect(created.key).toMatch(/^ink_test_[\w-]{43}$/)
  const { body: listed } = await send('GET', '/api/keys/v1')
  expect(listed.items.find(({ id }: { id: number }) => id === created.id)).toMatchObject({
    ...{ mode: 'test', state: 'live', prefix: created.key.slice(0, 15) },
  })
  expect(new Set(listed.items.map(({ mode }: { mode: string }) => mode))).toEqual(new Set(['live', 'test']))
  const next = await send('GET', `/api/keys/v1?limit=1&cursor=live-${created.id}`)
  expect(next.body.items).toHaveLength(1)

  expect((await send('DELETE', `/api/keys/v1/${created.id}`)).status).toBe(204)
  const events = await service
    .db('audit_events')
    .where({ subscription_id: ann.subscriptionId, subject: String(created.id) })
    .orderBy('id')
  expect(events.map(({ action, detail }) => [action, detail.mode])).toEqual([
    ['key.create', 'test'],
    ['key.revoke', undefined],
  ])
})

test('live and test data are apart, for keys and for logins, on every route about a dataset', async () => {
  const { referenceNumber } = anUpload()
  const [live, tried] = [
    anUpload({}, { referenceNumber }),
    anUpload({ device: { id: 'd' } }, { referenceNumber }),
  ]
  expect((await upload(service.url, ann.uploaderKey, live)).status).toBe(200)
  // the number is free in the other mode
  expect((await upload(service.url, ann.testUploader, tried)).status).toBe(200)

  const [ofLive, ofTest] = [anUpload(), anUpload()]
  await upload(service.url, ann.uploaderKey, ofLive)
  await upload(service.url, ann.testUploader, ofTest)
  expect((await read(ann.requesterKey, ofLive.referenceNumber)).status).toBe(200)
  expect((await read(ann.testRequester, ofTest.referenceNumber)).status).toBe(200)
  expect((await read(ann.requesterKey, ofTest.referenceNumber)).body.title).toBe('dataset_not_found')
  expect((await read(ann.testRequester, ofLive.referenceNumber)).body.title).toBe('dataset_not_found')

  const routes = declared.filter((one) => one.path.includes(':referenceNumber') && hasModes(one))
  expect(routes.length).toBeGreaterThan(4)
  for (const endpoint of routes)
    for (const [number, mode] of [
      [ofTest.referenceNumber, 'live'],
      [ofLive.referenceNumber, 'test'],
    ] as const) {
      const { path, body } = REQUESTS[nameOfRoute(endpoint)]?.({ referenceNumber: number } as Subject) ?? {
        path: '',
      }
      const answer = await call(service.url, endpoint.method.toUpperCase(), path, {
        token: ann.token,
        headers: { 'Inkling-Mode': mode },
        ...(body && { body }),
      })
      expect([nameOfRoute(endpoint), mode, answer.body.title]).toEqual([
        ...[nameOfRoute(endpoint), mode, 'dataset_not_found'],
      ])
    }
  const list = async (headers: Record<string, string>) =>
    JSON.stringify((await call(service.url, 'GET', '/api/datasets/v1', { token: ann.token, headers })).body)
  expect(await list({})).not.toContain(ofTest.referenceNumber)
  expect(await list(TEST)).toContain(ofTest.referenceNumber)
  expect(await list(TEST)).not.toContain(ofLive.referenceNumber)
})

test('a site key of test mode opens collections that become test datasets; a live one is not listed there', async () => {
  const create = async (headers: Record<string, string>) => {
    const body = { label: 'shop', level: 'open', origins: [ORIGIN], modules: [], maxCollectionsPerDay: 10 }
    const answer = await call(service.url, 'POST', '/api/site-keys/v1', { token: ann.token, body, headers })
    return answer.body as { id: number; key: string }
  }
  const [live, tried] = [await create({}), await create(TEST)]
  expect([live.key, tried.key]).toEqual([
    expect.stringMatching(/^pk_[\w-]{32}$/),
    expect.stringMatching(/^pk_test_[\w-]{32}$/),
  ])
  const { body: listed } = await call(service.url, 'GET', '/api/site-keys/v1', {
    ...{ token: ann.token, headers: TEST },
  })
  expect(listed.items.map(({ id }: { id: number }) => id)).toEqual([tried.id])

  const collect = async (key: string) => {
    const referenceNumber = crypto.randomUUID()
    const page = (path: string, body: unknown) => sendFromPage(service.url, path, JSON.stringify(body))
    const { body } = await page(`/c/open?k=${key}`, anOpening({ referenceNumber }))
    const last = { segments: 1, last: aSegment(0) }
    expect((await page(`/c/complete?c=${body.collection}`, last)).status).toBe(200)
    return referenceNumber
  }
  const [ofLive, ofTest] = [await collect(live.key), await collect(tried.key)]
  expect((await read(ann.testRequester, ofTest)).status).toBe(200)
  expect((await read(ann.requesterKey, ofLive)).status).toBe(200)
  expect((await read(ann.requesterKey, ofTest)).body.title).toBe('dataset_not_found')
  expect((await read(ann.testRequester, ofLive)).body.title).toBe('dataset_not_found')
})

test('the rejection of a key of the other mode says which key to use', async () => {
  const answers = [
    await make(ann.uploaderKey, { platform: 'web' }),
    await call(service.url, 'GET', '/api/insights/v1/any', { token: ann.requesterKey, headers: TEST }),
    await call(service.url, 'GET', '/api/insights/v1/any', {
      ...{ token: ann.testRequester, headers: { 'Inkling-Mode': 'live' } },
    }),
    await call(service.url, 'GET', '/api/datasets/v1', {
      token: ann.token,
      headers: { 'Inkling-Mode': 'x' },
    }),
  ]
  expect(answers.map(({ status, body }) => [status, body.title, body.detail])).toEqual([
    [403, 'forbidden', expect.stringContaining('This is a live key; use a test key')],
    [403, 'forbidden', expect.stringContaining('This is a live key; use a test key')],
    [403, 'forbidden', expect.stringContaining('This is a test key')],
    [403, 'forbidden', 'Inkling-Mode must be test or live'],
  ])
})

test.each(['android', 'ios', 'web'])(
  'made-up captures of %s are ready, varied, and scored',
  async (platform) => {
    const made = await make(ann.testUploader, { platform, count: 5 })
    const { referenceNumbers } = made.body
    expect(referenceNumbers).toHaveLength(5)
    const insights = await Promise.all(
      referenceNumbers.map((number: string) => read(ann.testRequester, number)),
    )
    expect(insights.map(({ status }) => status)).toEqual(Array(5).fill(200))
    for (const { body } of insights)
      expect(insightOf(body, 'test_mode')).toMatchObject({ value: expect.any(Number) })
    const stored = await service.db('datasets').whereIn('reference_number', referenceNumbers)
    expect(new Set(stored.map(({ device_id }) => device_id)).size).toBe(5)
  },
)

test('outcomes can be asked for: invalid, no score, and a ring that velocity counts', async () => {
  const invalid = await make(ann.testUploader, { platform: 'android', outcome: 'invalid', count: 12 })
  const answers = await Promise.all(
    invalid.body.referenceNumbers.map((number: string) => read(ann.testRequester, number)),
  )
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.title}`))).toEqual(
    new Set(['422 dataset_invalid']),
  )
  expect(new Set(answers.map(({ body }) => body.detail)).size).toBeGreaterThan(1)

  const noScore = await make(ann.testUploader, {
    platform: 'ios',
    outcome: 'no_score',
    referenceNumber: 'none',
  })
  expect(noScore.body).toEqual({ referenceNumbers: ['none'] })
  const { body } = await read(ann.testRequester, 'none')
  expect(insightOf(body, 'test_mode')).toEqual({ value: null, probability: null })
  expect((await make(ann.testUploader, { platform: 'ios', referenceNumber: 'none' })).body.title).toBe(
    'reference_number_taken',
  )

  const ring = await make(ann.token, { platform: 'android', outcome: 'ring' })
  const velocities = await Promise.all(
    ring.body.referenceNumbers.map((number: string) => read(ann.testRequester, number)),
  )
  const counts = velocities.map((one) => insightOf(one.body, 'velocity').associatedDatasetsCount)
  expect(counts.toSorted()).toEqual(['1', '2', '3', '4', '5'])
})

test('a slow dataset waits, also if its insight is read, and is ready once it is due', async () => {
  const made = await make(ann.testUploader, { platform: 'web', outcome: 'slow' })
  const [referenceNumber] = made.body.referenceNumbers
  const relay = () => relayOverdue({ db: service.db, producer: service.producer, log })
  await relay()
  const [dataset] = await service.db('datasets').where({ reference_number: referenceNumber })
  expect([dataset.status, dataset.ring_at]).toEqual(['received', null])
  const delayed = service.db('delayed_datasets').where({ dataset_id: dataset.id })
  const [{ due_at }] = await delayed.clone()
  expect(due_at - dataset.uploaded_at).toBeGreaterThan(9_000)
  const reading = read(ann.testRequester, referenceNumber)
  await eventually(async () => {
    // its urgent job, which finds nothing to do, has been added
    expect(await service.db('datasets').where({ id: dataset.id, status: 'received' })).toHaveLength(1)
  })
  await delayed.clone().update({ due_at: new Date() })
  await relay()
  expect((await reading).status).toBe(200)
  expect(await delayed.clone()).toEqual([])
})

test('datasets of a test mode are deleted after 7 days, which cannot be extended', async () => {
  const makeOne = async () => (await make(ann.testUploader, { platform: 'android' })).body.referenceNumbers[0]
  const [old, young] = [await makeOne(), await makeOne()]
  expect((await read(ann.testRequester, old)).status).toBe(200)
  expect((await read(ann.testRequester, young)).status).toBe(200)
  await service
    .db('datasets')
    .where({ subscription_id: ann.testId })
    .whereNot({ reference_number: young })
    .update({ uploaded_at: new Date(Date.now() - 7.01 * 86_400_000) })
  await service
    .db('datasets')
    .where({ reference_number: young })
    .update({ uploaded_at: new Date(Date.now() - 6.99 * 86_400_000) })
  await enforceRetention({ db: service.db, log }, new AbortController().signal)
  expect((await read(ann.testRequester, old)).body.title).toBe('dataset_deleted')

  const change = (datasetDays: number | string) =>
    call(service.url, 'PATCH', '/api/privacy/v1/retention', {
      ...{ token: ann.token, headers: TEST, body: { datasetDays } },
    })
  expect((await change(8)).body.errors).toEqual({
    datasetDays: ['must not be longer than before, in test mode'],
  })
  expect((await change('forever')).status).toBe(400)
  expect((await change(3)).body.datasetDays).toBe(3)
})

test('a test mode has limits of its own, takes scorecards and fragments along, and ends with its subscription', async () => {
  const bob = await openParty()
  await service.db('limits').where({ subscription_id: bob.testId }).update({ datasets_per_day: 3 })
  expect((await make(bob.testUploader, { platform: 'web' })).status).toBe(200)
  await service.flushCounts() // The limits of a key are read after its first request.
  const before = await service.db('datasets').where({ subscription_id: bob.testId }).pluck('id')
  const many = await make(bob.testUploader, { platform: 'web', count: 4 })
  expect([many.status, many.body.title]).toEqual([429, 'rate_limited'])
  expect(await service.db('datasets').where({ subscription_id: bob.testId }).pluck('id')).toEqual(before)
  await service.flushCounts()
  const use = await service.db('usage_days').where({ subscription_id: bob.subscriptionId }).select()
  expect(use).toEqual([]) // of live

  const codes = async (table: string, subscriptionId: number) =>
    (await service.db(table).where({ subscription_id: subscriptionId }).pluck('code')).toSorted()
  expect(await codes('fragments', bob.testId)).toEqual(await codes('fragments', bob.subscriptionId))
  expect(await codes('scorecard_stages', bob.testId)).toEqual([
    ...(await codes('scorecard_stages', bob.subscriptionId)),
    'test_mode',
  ])

  await suspendSubscription(service.db, bob.subscriptionId, true)
  expect(await findApiKey(service.db, bob.testUploader)).toMatchObject({ suspended: true, isTest: true })
})

test('the commands of docs/testing.md make up datasets and read their insights', async () => {
  const text = await readFile(join(PROJECT, 'docs/testing.md'), 'utf8')
  const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(text) ?? []
  const { testUploader, testRequester } = await openParty()
  const filled = commands
    .replaceAll('http://localhost:3000', service.url)
    .replaceAll('TEST_UPLOADER_KEY', testUploader)
    .replaceAll('TEST_REQUESTER_KEY', testRequester)
  const { code, stdout, stderr } = await readToEnd(
    spawn('bash', ['--norc', '-euo', 'pipefail', '-c', filled]),
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const part of ['{"referenceNumbers":["first"]}', '"insights":', '"clientId"', '"dataset_invalid"'])
    expect(stdout).toContain(part)
})
