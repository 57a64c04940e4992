import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aCapture, anUpload } from '../support/captures.ts'
import { call, upload } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant

beforeAll(async () => {
  service = await startService({ worker: false, trustedProxies: ['127.0.0.0/8'] })
  tenant = await service.openTenant()
})
afterAll(() => service.stop())

const send = (body: unknown) => upload(service.url, tenant.uploaderKey, body)

const stored = (referenceNumber: string, of = service) =>
  of.db('datasets').where({ reference_number: referenceNumber }).first()

/** Member paths of the reported errors. */
async function errorsOf(body: unknown): Promise<string[]> {
  const { status, body: problem } = await send(body)
  expect([status, problem.title]).toEqual([400, 'validation_failed'])
  for (const messages of Object.values(problem.errors)) expect(messages).not.toEqual([])
  return Object.keys(problem.errors).toSorted()
}

test('referenceNumber and data are required', async () => {
  expect(await errorsOf({})).toEqual(['data', 'referenceNumber'])
})

test('a missing member is required, and a wrong type is rejected with the expected one', async () => {
  expect((await send({})).body.errors).toEqual({ referenceNumber: ['is required'], data: ['is required'] })
  expect((await send({ referenceNumber: 7, data: true, additionalInfo: 'x' })).body.errors).toEqual({
    referenceNumber: ['must be a string'],
    data: ['must be a string'],
    additionalInfo: ['must be an object with text values'],
  })
})

test('a member set to null counts as absent', async () => {
  expect(await errorsOf({ referenceNumber: null, data: null, realIp: null, additionalInfo: null })).toEqual([
    'data',
    'referenceNumber',
  ])
  const body = anUpload(aCapture(), { realIp: null, additionalInfo: null })
  expect((await send(body)).status).toBe(200)
  expect(await stored(body.referenceNumber)).toMatchObject({ real_ip: null, additional_info: {} })
})

test('unknown members are ignored', async () => {
  const members = { color: 'red', DATA: 1, subscriptionId: 99, status: 'ready', nested: { a: [null] } }
  expect((await send(anUpload(aCapture(), members))).status).toBe(200)
})

test('all errors are returned at once, by member path', async () => {
  const body = {
    referenceNumber: 7,
    data: '*',
    realIp: 5,
    additionalInfo: { good: 'x', count: 1, none: null, long: 'x'.repeat(1_001), ['k'.repeat(101)]: 'x' },
  }
  expect(await errorsOf(body)).toEqual([
    'additionalInfo.count',
    `additionalInfo.${'k'.repeat(101)}`,
    'additionalInfo.long',
    'additionalInfo.none',
    'data',
    'realIp',
    'referenceNumber',
  ])
})

test.each([[[]], ['text'], [5], [null], [true]])(
  'a body that is %j and not an object is rejected',
  async (body) => {
    expect(await errorsOf(JSON.stringify(body))).toEqual(['body'])
  },
)

test('an inherited member does not count as sent', async () => {
  expect(await errorsOf('{"__proto__": {"referenceNumber": "a", "data": "AAAA"}}')).toEqual([
    'data',
    'referenceNumber',
  ])
})

test.each([
  '#123456789',
  '😀'.repeat(100),
  'x'.repeat(100),
  'Zürich / 100 % + 1 & more?',
  ' ',
  '...',
  '\ufeff\u202e',
  '123',
  "'; drop table datasets; --",
  '\u{10ffff}\uffff',
])('the reference number %j is fine', async (referenceNumber) => {
  const { status, body } = await send({ ...anUpload(), referenceNumber })
  expect([status, body.referenceNumber]).toEqual([200, referenceNumber])
  expect((await stored(referenceNumber)).reference_number).toBe(referenceNumber)
})

test.each([
  ['empty', ''],
  ['of 101 characters', 'x'.repeat(101)],
  ['of 101 characters outside the basic plane', '😀'.repeat(101)],
  ['with NUL', 'a\0b'],
  ['with half of a surrogate pair', 'a\ud83d'],
  ['with the other half', '\ude00b'],
  ['that is a number', 5],
  ['that is a list', ['a']],
])('a reference number %s is rejected', async (_, referenceNumber) => {
  expect(await errorsOf({ ...anUpload(), referenceNumber })).toEqual(['referenceNumber'])
})

describe('realIp', () => {
  const sendFrom = (of: Service, key: string, body: unknown, address: string) =>
    call(of.url, 'POST', '/api/datasets/v1/upload', { token: key, body, headers: { 'X-Real-IP': address } })

  const storedFrom = async (members: object, address: string) => {
    const body = anUpload(aCapture(), { ...members })
    expect((await sendFrom(service, tenant.uploaderKey, body, address)).status).toBe(200)
    return (await stored(body.referenceNumber)).real_ip
  }

  test('is X-Real-IP of a trusted proxy when it is null or absent', async () => {
    expect(await storedFrom({}, '203.0.113.7')).toBe('203.0.113.7')
    expect(await storedFrom({ realIp: null }, '2001:db8::7')).toBe('2001:db8::7')
  })

  test('takes precedence over X-Real-IP', async () => {
    expect(await storedFrom({ realIp: '198.51.100.1' }, '203.0.113.7')).toBe('198.51.100.1')
  })

  test('is empty when the proxy sends no address', async () => {
    expect(await storedFrom({}, 'unknown')).toBeNull()
  })

  test('is empty when the peer is no trusted proxy', async () => {
    const untrusting = await startService({ worker: false, trustedProxies: ['10.0.0.0/8'] })
    const { uploaderKey } = await untrusting.openTenant()
    const body = anUpload()
    expect((await sendFrom(untrusting, uploaderKey, body, '203.0.113.7')).status).toBe(200)
    expect((await stored(body.referenceNumber, untrusting)).real_ip).toBeNull()
    await untrusting.stop()
  })

  test.each(['10.1.2.3', '192.168.0.1', '::1', '999.1.1.1', 'not an address', '', '203.0.113.7:4711', '😀'])(
    'is stored as sent when it is %j',
    async (realIp) => {
      expect(await storedFrom({ realIp }, '203.0.113.7')).toBe(realIp)
    },
  )
})

describe('additionalInfo', () => {
  const infoOf = async (referenceNumber: string) => (await stored(referenceNumber)).additional_info

  test('is saved with the upload', async () => {
    const additionalInfo = { clientId: 'C-1042', emailHash: 'f1d2d2f9', note: '' }
    const body = anUpload(aCapture(), { additionalInfo })
    expect((await send(body)).status).toBe(200)
    expect(await infoOf(body.referenceNumber)).toEqual(additionalInfo)
  })

  test('that is empty or null is the same as none, also in a retry', async () => {
    for (const additionalInfo of [{}, null]) {
      const body = anUpload(aCapture(), { additionalInfo })
      const first = await send(body)
      const retry = await send(body)
      expect([first.status, retry.status, retry.body]).toEqual([200, 200, first.body])
      expect(await infoOf(body.referenceNumber)).toEqual({})
    }
  })

  test('of a retry is merged with the saved pairs', async () => {
    const body = anUpload(aCapture(), { additionalInfo: { clientId: 'C-1' } })
    const first = await send(body)
    const retry = await send({ ...body, additionalInfo: { clientId: 'C-1', channel: 'app' } })
    expect([retry.status, retry.body]).toEqual([200, first.body])
    expect(await infoOf(body.referenceNumber)).toEqual({ clientId: 'C-1', channel: 'app' })
    expect((await send(anUpload(aCapture(), { ...body, additionalInfo: null }))).status).toBe(200)
    expect(await infoOf(body.referenceNumber)).toEqual({ clientId: 'C-1', channel: 'app' })
  })

  test('of a retry with another value for a saved key is a conflict, and none of it is saved', async () => {
    const body = anUpload(aCapture(), { additionalInfo: { clientId: 'C-1' } })
    await send(body)
    const { status, body: problem } = await send({ ...body, additionalInfo: { clientId: 'C-2', fresh: 'x' } })
    expect([status, problem.title]).toEqual([409, 'additional_info_conflict'])
    expect(Object.keys(problem.errors)).toEqual(['additionalInfo.clientId'])
    expect(await infoOf(body.referenceNumber)).toEqual({ clientId: 'C-1' })
  })

  test('of concurrent uploads with the same data is merged or rejected, as if they were sequential', async () => {
    const body = anUpload()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        send({ ...body, additionalInfo: { clientId: `C-${n}`, [`own${n}`]: 'x' } }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(409)])
    const winner = answers.findIndex(({ status }) => status === 200)
    expect(await infoOf(body.referenceNumber)).toEqual({ clientId: `C-${winner}`, [`own${winner}`]: 'x' })
  })

  test('that is not an object of texts rejects the upload', async () => {
    for (const additionalInfo of [[], 'clientId', 5]) {
      const body = anUpload(aCapture(), { additionalInfo })
      expect(await errorsOf(body)).toEqual(['additionalInfo'])
      expect(await stored(body.referenceNumber)).toBeUndefined()
    }
  })
})
