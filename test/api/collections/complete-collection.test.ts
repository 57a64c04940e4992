import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anUpload } from '../../support/captures.ts'
import { assignInfo, call, readByCode, upload } from '../../support/client.ts'
import {
  anOpening,
  aSegment,
  encodeSegment,
  makeSiteKey,
  openOne,
  sendFromPage,
} from '../../support/pages.ts'
import { type Service, startService, type Tenant } from '../../support/service.ts'

let service: Service
let tenant: Tenant
let keys: Record<'open' | 'claimed', string>
beforeAll(async () => {
  service = await startService({ worker: false, insightWaitMs: 0, trustedProxies: ['127.0.0.1'] })
  tenant = await service.openTenant()
  const { subscriptionId } = tenant
  keys = {
    open: await makeSiteKey(service.db, subscriptionId),
    claimed: await makeSiteKey(service.db, subscriptionId, { level: 'claimed' }),
  }
})
afterAll(() => service.stop())

const send = (path: string, body: unknown, headers?: Record<string, string>) =>
  sendFromPage(service.url, path, body, headers)
const append = (id: string, n: number) => send(`/c?c=${id}&n=${n}`, encodeSegment(aSegment(n)))
const complete = (id: string, body: unknown, headers?: Record<string, string>) =>
  send(`/c/complete?c=${id}`, body, headers)
const withdraw = (id: string) => send(`/c/withdraw?c=${id}`, '')
const claim = (collection: string, members: object, of = tenant) =>
  call(service.url, 'POST', '/api/collections/v1/claims', {
    token: of.uploaderKey,
    body: { collection, ...members },
  })
const openClaimable = () => openOne(service.url, keys.claimed, {})
const number = () => `LN-${crypto.randomUUID()}`
const titleOf = ({ status, body }: { status: number; body: { title?: string } }) => [status, body.title]
const datasetOf = (referenceNumber: string) =>
  service.db('datasets').where({ subscription_id: tenant.subscriptionId, reference_number: referenceNumber })

describe('completing', () => {
  test('makes one dataset that waits, with a receipt that a repeat returns', async () => {
    const { id, referenceNumber } = await openOne(service.url, keys.open)
    await append(id, 0)
    const end = { segments: 2, last: aSegment(1) }
    const first = await complete(id, end, { 'X-Real-IP': '203.0.113.9' })
    expect(first).toMatchObject({
      status: 200,
      body: { id, referenceNumber, uploadDate: expect.any(String) },
    })
    const again = await Promise.all([complete(id, end), complete(id, { segments: 2 })])
    expect(again.map(({ body }) => body)).toEqual([first.body, first.body])
    const datasets = await datasetOf(referenceNumber)
    expect(datasets).toHaveLength(1)
    expect(datasets[0]).toMatchObject({ status: 'received', real_ip: '203.0.113.9', blob: null })
    expect((await append(id, 1)).status).toBe(200)
    expect(titleOf(await append(id, 2))).toEqual([409, 'collection_closed'])
    expect(titleOf(await complete(id, { segments: 3, last: aSegment(2) }))).toEqual([
      409,
      'collection_closed',
    ])
    await service.flushCounts()
    const counted = await service.db('pipeline_counts').where({ subscription_id: tenant.subscriptionId })
    expect(counted.reduce((sum, { uploads }) => sum + uploads, 0)).toBeGreaterThan(0)
    const [{ id: siteKeyId }] = await service.db('site_keys').where({ key: keys.open })
    const day = await service.db('site_key_days').where({ site_key_id: siteKeyId }).first()
    expect(day).toMatchObject({ completed: 1 })
    expect(day.bytes).toBeGreaterThan(300)
  })

  test('names missing segments, and is possible once they are stored', async () => {
    const { id } = await openOne(service.url, keys.open)
    for (const body of [{ segments: 0 }, { segments: 1 }]) {
      const empty = await complete(id, body)
      expect([...titleOf(empty), empty.body.errors]).toEqual([409, 'segments_missing', { segments: ['0'] }])
    }
    for (const n of [1, 2, 4]) await append(id, n)
    const missing = await complete(id, { segments: 5 })
    expect(missing.body.errors).toEqual({ segments: ['0', '3'] })
    for (const n of [0, 3]) await append(id, n)
    expect((await complete(id, { segments: 5 })).status).toBe(200)
  })

  test.each([
    ['nothing', '', 'malformed_json'],
    ['no number', '{}', 'validation_failed'],
    ['too many', '{"segments": 10001}', 'validation_failed'],
    ['an invalid last segment', '{"segments": 1, "last": {}}', 'validation_failed'],
  ])('with %s is rejected', async (_name, body, title) => {
    const { id } = await openOne(service.url, keys.open)
    expect(titleOf(await complete(id, body))).toEqual([400, title])
  })
})

describe('claiming', () => {
  test('after completion makes the dataset, before it the number of the later one', async () => {
    const [early, late] = [await openClaimable(), await openClaimable()]
    for (const { id } of [early, late]) await append(id, 0)
    expect((await complete(late.id, { segments: 1 })).body).toEqual({
      ...{ id: late.id, referenceNumber: null, uploadDate: null },
    })
    const [first, second] = [number(), number()]
    const info = { additionalInfo: { clientId: 'C-9' } }
    expect((await claim(early.id, { referenceNumber: first, ...info })).body).toEqual({
      ...{ referenceNumber: first, uploadDate: null },
    })
    const { body } = await claim(late.id, { referenceNumber: second, ...info })
    expect(body).toEqual({ referenceNumber: second, uploadDate: expect.any(String) })
    expect((await complete(late.id, { segments: 1 })).body).toEqual({ id: late.id, ...body })
    expect((await complete(early.id, { segments: 1 })).body).toMatchObject({ referenceNumber: first })
    for (const referenceNumber of [first, second])
      expect(await datasetOf(referenceNumber)).toMatchObject([{ additional_info: { clientId: 'C-9' } }])
  })

  test('is repeatable with the same number only, and adds to the Additional Info', async () => {
    const { id } = await openClaimable()
    const referenceNumber = number()
    expect((await claim(id, { referenceNumber })).status).toBe(200)
    expect((await claim(id, { referenceNumber, additionalInfo: { branch: 'north' } })).status).toBe(200)
    const conflict = await claim(id, { referenceNumber, additionalInfo: { branch: 'south' } })
    expect(titleOf(conflict)).toEqual([409, 'additional_info_conflict'])
    expect(titleOf(await claim(id, { referenceNumber: number() }))).toEqual([409, 'conflict'])
  })

  test('rejects a taken number and the collection of another subscription, as one that does not exist', async () => {
    const { id } = await openClaimable()
    const body = anUpload()
    await upload(service.url, tenant.uploaderKey, body)
    const { referenceNumber } = body
    expect(titleOf(await claim(id, { referenceNumber }))).toEqual([409, 'reference_number_taken'])
    const other = await service.openTenant()
    for (const unknown of [id, `c_${'A'.repeat(22)}`, 'junk'])
      expect(titleOf(await claim(unknown, { referenceNumber: number() }, other))).toEqual([
        404,
        'collection_not_found',
      ])
  })
})

test('Additional Info by the number of an open collection becomes part of the dataset', async () => {
  const { id, referenceNumber } = await openOne(service.url, keys.open)
  const assign = (additionalInfo: object, of = tenant) =>
    assignInfo(service.url, of.uploaderKey, { referenceNumber, additionalInfo })
  expect(titleOf(await assign({ clientId: 'C-1' }, await service.openTenant()))).toEqual([
    404,
    'dataset_not_found',
  ])
  expect((await assign({ clientId: 'C-1' })).body.additionalInfo).toEqual({ clientId: 'C-1' })
  expect((await assign({ branch: 'north' })).body.additionalInfo).toEqual({
    clientId: 'C-1',
    branch: 'north',
  })
  const conflict = await assign({ clientId: 'C-2' })
  expect([...titleOf(conflict), Object.keys(conflict.body.errors)]).toEqual([
    ...[409, 'additional_info_conflict', ['additionalInfo.clientId']],
  ])
  await append(id, 0)
  await complete(id, { segments: 1 })
  expect((await assign({ late: 'yes' })).body.additionalInfo).toEqual({
    ...{ clientId: 'C-1', branch: 'north', late: 'yes' },
  })
})

test('the insight of an open collection is not ready, and says why', async () => {
  const { referenceNumber } = await openOne(service.url, keys.open)
  const { status, body, headers } = await readByCode(service.url, tenant.requesterKey, referenceNumber)
  expect([status, body.title]).toEqual([503, 'insight_not_ready'])
  expect(body.detail).toContain('still collecting')
  expect(headers.get('retry-after')).toBe('5')
  const { requesterKey } = await service.openTenant()
  expect((await readByCode(service.url, requesterKey, referenceNumber)).status).toBe(404)
})

describe('withdrawing', () => {
  test('erases a collection and all its segments, also a complete one that nobody has claimed', async () => {
    const [{ id: open }, { id: completed }] = [await openOne(service.url, keys.open), await openClaimable()]
    for (const id of [open, completed]) await append(id, 0)
    await complete(completed, { segments: 1 })
    for (const id of [open, completed]) {
      expect(await withdraw(id)).toMatchObject({ status: 200, body: {} })
      expect(titleOf(await append(id, 1))).toEqual([404, 'collection_not_found'])
      expect(titleOf(await complete(id, { segments: 1 }))).toEqual([404, 'collection_not_found'])
      expect(titleOf(await withdraw(id))).toEqual([404, 'collection_not_found'])
      expect(await service.db('collections').where({ public_id: id })).toEqual([])
    }
  })

  test('leaves a dataset to the subscription', async () => {
    const { id } = await openOne(service.url, keys.open)
    await append(id, 0)
    await complete(id, { segments: 1 })
    expect(titleOf(await withdraw(id))).toEqual([409, 'collection_closed'])
  })
})

test('device ids of two subscriptions and two browsers differ, those of one browser do not', async () => {
  const other = await makeSiteKey(service.db, (await service.openTenant()).subscriptionId)
  const idOf = async (key: string, device: string) => {
    const body = anOpening({ referenceNumber: number(), device })
    await send(`/c/open?k=${key}`, body)
    const [row] = await service.db('collections').where({ nonce: body.nonce as string })
    return row.device_id
  }
  const id = await idOf(keys.open, 'browser-1')
  expect(await idOf(keys.open, 'browser-1')).toBe(id)
  const ids = [id, await idOf(keys.open, 'browser-2'), await idOf(other, 'browser-1')]
  expect(new Set(ids).size).toBe(3)
})
