import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeLimits, WHOLE } from '../../db/limits/limits.ts'
import { anActor } from '../support/actors.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { type Answer, call, readByCode, upload } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
})
afterAll(() => service.stop())

const aDataset = async (members: Record<string, unknown> = {}): Promise<string> => {
  const body = anUpload(aCapture(), members)
  expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
  return body.referenceNumber
}

const readBatch = (body: object): Promise<Answer> =>
  call(service.url, 'POST', '/api/insights/v1/batch', { token: tenant.requesterKey, body })

const countReads = async (referenceNumber: string): Promise<number> =>
  (await service.db('insight_requests').where({ reference_number: referenceNumber })).length

test('each number has its own outcome in the order of the request, and each read is recorded', async () => {
  const [ready, deleted] = [await aDataset(), await aDataset()]
  const invalid = await aDataset({ data: 'bm90IGd6aXA=' })
  await readBatch({ referenceNumbers: [ready, deleted, invalid] }) // settles them
  await service.db('datasets').where({ reference_number: deleted }).update({ status: 'deleted' })
  const before = await countReads(ready)

  const referenceNumbers = [ready, 'a stranger’s', invalid, ready, deleted]
  const { status, body } = await readBatch({ referenceNumbers })
  expect(status).toBe(200)
  expect(body.results.map((one: { referenceNumber: string }) => one.referenceNumber)).toEqual(
    referenceNumbers,
  )
  expect(
    body.results.map((one: Answer & { problem?: { title: string } }) => [one.status, one.problem?.title]),
  ).toEqual([
    [200, undefined],
    [404, 'dataset_not_found'],
    [422, 'dataset_invalid'],
    [200, undefined],
    [410, 'dataset_deleted'],
  ])
  const { requestedDate, ...single } = (await readByCode(service.url, tenant.requesterKey, ready)).body
  for (const at of [0, 3]) expect(body.results[at].insight).toMatchObject(single)
  expect(await countReads(ready)).toBe(before + 3)
  expect(await countReads('a stranger’s')).toBe(1)
})

test('queued datasets are awaited together, and codes select insights', async () => {
  const referenceNumbers = await Promise.all(Array.from({ length: 100 }, () => aDataset()))
  const { body } = await readBatch({ referenceNumbers, codes: ['velocity', 'unknown'] })
  expect(body.results).toHaveLength(100)
  for (const [at, { referenceNumber, status, insight }] of body.results.entries()) {
    expect([referenceNumber, status]).toEqual([referenceNumbers[at], 200])
    expect(insight.insights.map(({ code }: { code: string }) => code)).toEqual(['velocity'])
  }
  const recorded = await service.db('insight_requests').whereIn('reference_number', referenceNumbers)
  expect(recorded).toHaveLength(100)
})

test('each error of a batch is named, and nothing is read', async () => {
  const errorsOf = async (body: object) => {
    const answer = await readBatch(body)
    expect([answer.status, answer.body.title]).toEqual([400, 'validation_failed'])
    return answer.body.errors
  }
  const number = await aDataset()
  expect(await errorsOf({})).toEqual({ referenceNumbers: ['is required'] })
  expect(await errorsOf({ referenceNumbers: [] })).toEqual({
    referenceNumbers: ['must have at least one reference number'],
  })
  expect(await errorsOf({ referenceNumbers: Array(101).fill(number) })).toEqual({
    referenceNumbers: ['must have at most 100 reference numbers'],
  })
  expect(await errorsOf({ referenceNumbers: number })).toEqual({ referenceNumbers: ['must be an array'] })
  expect(
    Object.keys(await errorsOf({ referenceNumbers: [number, 7, null, '', 'x'.repeat(101), {}] })),
  ).toEqual([1, 2, 3, 4, 5].map((at) => `referenceNumbers.${at}`))
  expect(await errorsOf({ referenceNumbers: [number], codes: ['velocity', 7] })).toHaveProperty(['codes.1'])
  expect(await countReads(number)).toBe(0)
})

test('a batch counts as one request for each number', async () => {
  const other = await service.openTenant()
  const { subscriptionId, requesterKey: token } = other
  const change = { requestsPerSecond: 1, burst: 200 }
  await changeLimits(service.db, { subscriptionId, keyId: WHOLE, actor: anActor('operator'), change })
  const read = (names: string[]) =>
    call(service.url, 'POST', '/api/insights/v1/batch', { token, body: { referenceNumbers: names } })
  await read(['first']) // the process learns the limits
  await service.flushCounts()
  const names = Array.from({ length: 100 }, (_, n) => `unknown ${n}`)
  const { headers } = await read(names)
  expect(headers.get('ratelimit')).toMatch(/^"subscription-requests";r=(99|100);/)
  await read(names)
  expect((await read(names)).status).toBe(429)
})

test('an insight that did not change is not sent again, and the read is recorded', async () => {
  const reference = await aDataset()
  const read = (headers: Record<string, string> = {}, method = 'GET') =>
    call(service.url, method, `/api/insights/v1/${reference}`, { token: tenant.requesterKey, headers })
  const first = await read()
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toBe(`W/"${first.body.insights[0].calculatedDate}"`)
  expect(first.headers.get('cache-control')).toBe('private, no-cache')

  for (const sent of [etag, `"other", ${etag}`, '*']) {
    const { status, headers, body } = await read({ 'If-None-Match': sent })
    expect([status, headers.get('etag'), headers.get('content-type'), body]).toEqual([304, etag, null, ''])
  }
  expect((await read({ 'If-None-Match': 'W/"other"' })).status).toBe(200)
  expect((await read({ 'If-None-Match': etag }, 'HEAD')).status).toBe(304)
  expect(await countReads(reference)).toBe(6)

  await call(service.url, 'POST', '/api/datasets/v1/additionalinfo', {
    ...{
      token: tenant.uploaderKey,
      body: { referenceNumber: reference, additionalInfo: { clientId: 'C-9' } },
    },
  })
  await expect.poll(async () => (await read({ 'If-None-Match': etag })).status, { timeout: 10_000 }).toBe(200)
})
