import { afterAll, beforeAll, expect, test } from 'vitest'
import { aCapture, anUpload } from '../support/captures.ts'
import { assignInfo, upload } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

type Info = Record<string, unknown>

let service: Service
let tenant: Tenant

beforeAll(async () => {
  service = await startService({ worker: false })
  tenant = await service.openTenant()
})
afterAll(() => service.stop())

const assign = (referenceNumber: string, additionalInfo: unknown) =>
  assignInfo(service.url, tenant.uploaderKey, { referenceNumber, additionalInfo })

async function aDataset(additionalInfo?: Info): Promise<string> {
  const body = anUpload(aCapture(), additionalInfo && { additionalInfo })
  expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
  return body.referenceNumber
}

const saved = async (referenceNumber: string): Promise<Info> =>
  (await service.db('datasets').where({ reference_number: referenceNumber }).first()).additional_info

test('Additional Info is saved, and the response has all that is saved', async () => {
  const reference = await aDataset({ channel: 'app' })
  const first = await assign(reference, { clientId: 'C-1', note: '' })
  expect(first.status).toBe(200)
  expect(first.body).toEqual({
    referenceNumber: reference,
    additionalInfo: { channel: 'app', clientId: 'C-1', note: '' },
  })
  const second = await assign(reference, { phoneHash: 'ab12' })
  expect(second.body.additionalInfo).toEqual({
    channel: 'app',
    clientId: 'C-1',
    note: '',
    phoneHash: 'ab12',
  })
  expect(await saved(reference)).toEqual(second.body.additionalInfo)
})

test('Additional Info with the saved values is accepted and changes nothing', async () => {
  const reference = await aDataset({ clientId: 'C-1', channel: 'app' })
  const { status, body } = await assign(reference, { clientId: 'C-1' })
  expect([status, body.additionalInfo]).toEqual([200, { clientId: 'C-1', channel: 'app' }])
})

test('Additional Info with another value for saved keys is a conflict that names them, and saves nothing', async () => {
  const before = { clientId: 'C-1', channel: 'app', same: 'x', constructor: 'saved' }
  const reference = await aDataset(before)
  const { status, body } = await assign(reference, {
    clientId: 'C-2',
    channel: '',
    same: 'x',
    fresh: 'y',
    constructor: 'other',
    toString: 'fresh',
  })
  expect([status, body.title]).toEqual([409, 'additional_info_conflict'])
  expect(Object.keys(body.errors).toSorted()).toEqual([
    'additionalInfo.channel',
    'additionalInfo.clientId',
    'additionalInfo.constructor',
  ])
  expect(await saved(reference)).toEqual(before)
})

test('only one of several concurrent requests sets a key, and the others save nothing', async () => {
  const reference = await aDataset()
  const calls = Array.from({ length: 12 }, (_, n) => ({ clientId: `C-${n}`, [`own${n}`]: 'x' }))
  const answers = await Promise.all(calls.map((info) => assign(reference, info)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(11).fill(409)])
  const winner = answers.findIndex(({ status }) => status === 200)
  expect(await saved(reference)).toEqual(calls[winner])
})

test('concurrent requests with different keys are all saved', async () => {
  const reference = await aDataset()
  const calls = Array.from({ length: 12 }, (_, n) => ({ [`key${n}`]: `${n}` }))
  const answers = await Promise.all(calls.map((info) => assign(reference, info)))
  expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
  expect(await saved(reference)).toEqual(Object.assign({}, ...calls))
})

test('Additional Info has 1 to 100 keys per request, of 1 to 100 characters, with values of 0 to 1,000', async () => {
  const hundred = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${n}`, 'v']))
  const reference = await aDataset()
  expect((await assign(reference, hundred)).status).toBe(200)
  const long = { ['😀'.repeat(100)]: '😀'.repeat(1_000), k: '', 'a.b': 'x', ' ': ' ' }
  expect((await assign(reference, long)).status).toBe(200)
  expect(await saved(reference)).toEqual({ ...hundred, ...long })
  expect((await assign(reference, { ['😀'.repeat(101)]: 'x' })).status).toBe(400)
  for (const info of [{}, { ...hundred, more: 'v' }]) {
    const { status, body } = await assign(reference, info)
    expect([status, body.title]).toEqual([400, 'validation_failed'])
    expect(Object.keys(body.errors)).toEqual(['additionalInfo'])
  }
})

test('errors name each invalid key and value of Additional Info, and none of the valid ones is saved', async () => {
  const reference = await aDataset()
  const bad = {
    '': 'no key',
    ['k'.repeat(101)]: 'long key',
    'nul\0': 'x',
    long: 'x'.repeat(1_001),
    longAstral: '😀'.repeat(1_001),
    half: '\ud83d',
    nul: '\0',
    number: 1,
    bool: true,
    nothing: null,
    list: ['x'],
    object: { a: 'b' },
  }
  const { status, body } = await assign(reference, { good: 'x', ...bad })
  expect([status, body.title]).toEqual([400, 'validation_failed'])
  expect(new Set(Object.keys(body.errors))).toEqual(
    new Set(Object.keys(bad).map((key) => `additionalInfo.${key}`)),
  )
  expect(await saved(reference)).toEqual({})
})

test('Additional Info that is not an object is rejected', async () => {
  const reference = await aDataset()
  for (const info of [undefined, null, [], ['a'], 'clientId', 5, true]) {
    const { status, body } = await assign(reference, info)
    expect([status, Object.keys(body.errors ?? {})], JSON.stringify(info)).toEqual([400, ['additionalInfo']])
  }
})

test('Additional Info cannot set __proto__', async () => {
  const reference = await aDataset()
  const { status, body } = await assignInfo(
    service.url,
    tenant.uploaderKey,
    `{"referenceNumber": ${JSON.stringify(reference)}, "additionalInfo": {"__proto__": "x"}}`,
  )
  expect([status, Object.keys(body.errors)]).toEqual([400, ['additionalInfo.__proto__']])
})

test('Additional Info of a dataset has at most 1,000 keys in total', async () => {
  const reference = await aDataset()
  const hundred = (from: number) =>
    Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`k${from + n}`, 'v']))
  for (let from = 0; from < 1_000; from += 100)
    expect((await assign(reference, hundred(from))).status).toBe(200)
  const { status, body } = await assign(reference, { oneMore: 'v' })
  expect([status, Object.keys(body.errors)]).toEqual([400, ['additionalInfo']])
  expect((await assign(reference, hundred(900))).status).toBe(200)
})

test('Additional Info of an unknown dataset, or one of another subscription, is 404', async () => {
  const reference = await aDataset()
  const other = await service.openTenant()
  const body = { referenceNumber: reference, additionalInfo: { clientId: 'C-1' } }
  const answers = [
    await assign('unknown', { a: 'b' }),
    await assignInfo(service.url, other.uploaderKey, body),
  ]
  for (const { status, body: problem } of answers)
    expect([status, problem.title]).toEqual([404, 'dataset_not_found'])
  expect(await saved(reference)).toEqual({})
})

test('Additional Info of a deleted dataset is 410', async () => {
  const reference = await aDataset({ clientId: 'C-1' })
  await service
    .db('datasets')
    .where({ reference_number: reference })
    .update({ status: 'deleted', blob: null, additional_info: {}, ring_at: null })
  for (const info of [{ clientId: 'C-2' }, { fresh: 'x' }]) {
    const { status, body } = await assign(reference, info)
    expect([status, body.title]).toEqual([410, 'dataset_deleted'])
  }
  expect(await saved(reference)).toEqual({})
})

test('Additional Info requires a valid reference number', async () => {
  for (const referenceNumber of ['', 'x'.repeat(101), 5]) {
    const body = { referenceNumber, additionalInfo: { a: 1 } }
    const { body: problem } = await assignInfo(service.url, tenant.uploaderKey, body)
    expect(Object.keys(problem.errors).toSorted()).toEqual(['additionalInfo.a', 'referenceNumber'])
  }
})
