import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApiKey } from '../../db/accounts/api-keys.ts'
import { aCapture, anUpload, encode, encodeText } from '../support/captures.ts'
import { assignInfo, call, logIn, readByCode, readInsight, upload } from '../support/client.ts'
import { addUser, type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService({ trustedProxies: ['127.0.0.1'] })
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
})
afterAll(() => service.stop())

const SIX_DIGITS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/
const timeOf = (timestamp: string) => Date.parse(`${timestamp}Z`)

async function aDataset(capture = aCapture(), referenceNumber?: string): Promise<string> {
  const body = anUpload(capture, referenceNumber === undefined ? {} : { referenceNumber })
  expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
  return body.referenceNumber
}

const read = (referenceNumber: string, by = token) => readInsight(service.url, by, referenceNumber)

describe('an insight read by login token', () => {
  test('has the members of the interface document, in its order', async () => {
    const { status, headers, body } = await read(await aDataset())
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(Object.keys(body)).toEqual(['datasetInfo', 'requestedDate', 'requestor', 'scores', 'fragments'])
    expect(Object.keys(body.datasetInfo)).toEqual(['referenceNumber', 'uploadDate', 'source'])
    for (const score of body.scores) expect(Object.keys(score)).toEqual(['code', 'value', 'probability'])
    for (const fragment of body.fragments) expect(Object.keys(fragment)).toEqual(['code', 'value'])
    expect(body.requestor).toBe(tenant.userEmail)
  })

  test('has the times of upload and request in UTC, to the microsecond', async () => {
    const uploaded = await upload(service.url, tenant.uploaderKey, anUpload())
    const { referenceNumber, uploadDate } = uploaded.body
    const dates: string[] = []
    for (let n = 0; n < 8; n++) {
      const before = Date.now()
      const { body } = await read(referenceNumber)
      expect(body.datasetInfo.uploadDate).toBe(uploadDate)
      expect(body.requestedDate).toMatch(SIX_DIGITS)
      expect(timeOf(body.requestedDate)).toBeGreaterThanOrEqual(before - 5)
      expect(timeOf(body.requestedDate)).toBeLessThanOrEqual(Date.now() + 5)
      dates.push(body.requestedDate)
    }
    expect(dates).toEqual([...new Set(dates)].toSorted())
    expect(dates.filter((date) => date.endsWith('000')).length).toBeLessThan(4)
  })

  test.each([
    ['android', 0],
    ['ios', 1],
    ['web', 2],
  ])('says that a capture of %s has the source %i', async (platform, source) => {
    const { body } = await read(await aDataset(aCapture({ platform })))
    expect(body.datasetInfo.source).toBe(source)
  })

  test('is available to every user of the subscription, and names the requestor', async () => {
    const email = 'admin@lender.example'
    await addUser(service.db, tenant.subscriptionId, email, 'admin')
    const { status, body } = await read(await aDataset(), await logIn(service.url, { userEmail: email }))
    expect([status, body.requestor]).toEqual([200, email])
  })

  test('is 404 for users of other subscriptions, with the same body as for an unknown dataset', async () => {
    const other = await service.openTenant()
    const stranger = await logIn(service.url, other)
    const [theirs, nobodys] = [await read(await aDataset(), stranger), await read('never-was', stranger)]
    expect([theirs.status, theirs.body.title]).toEqual([404, 'dataset_not_found'])
    expect({ ...theirs.body, traceId: '' }).toEqual({ ...nobodys.body, traceId: '' })
  })

  test.each([
    ['no gzip', Buffer.from('no gzip at all').toString('base64'), /gzip/],
    ['gzip cut short', encode(aCapture()).slice(0, 60), /gzip/],
    ['no JSON', encodeText('{"format": '), /JSON/],
    ['another format', encode({ format: 'capture/9' }), /format/],
    ['a capture with a wrong member', encode(aCapture({ collectedAt: 'yesterday' })), /collectedAt/],
  ])('is 422 with the reason when the data is %s', async (_, data, reason) => {
    const { referenceNumber } = anUpload()
    await upload(service.url, tenant.uploaderKey, { referenceNumber, data })
    const answers = [
      await read(referenceNumber),
      await readByCode(service.url, tenant.requesterKey, referenceNumber),
    ]
    for (const { status, body } of answers) {
      expect([status, body.title]).toEqual([422, 'dataset_invalid'])
      expect(body.detail).toMatch(reason)
    }
  })

  test('is 410 when the dataset is deleted', async () => {
    const reference = await aDataset()
    await read(reference)
    const dataset = service.db('datasets').where({ reference_number: reference })
    await dataset.update({ status: 'deleted', blob: null })
    const answers = [await read(reference), await readByCode(service.url, tenant.requesterKey, reference)]
    for (const { status, body } of answers) expect([status, body.title]).toEqual([410, 'dataset_deleted'])
  })
})

describe('the access record', () => {
  const recorded = async (referenceNumber: string) => {
    const { rows } = await service.db.raw(
      `select r.requestor, r.address, to_char(r.requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as at
       from insight_requests r join datasets d on d.subscription_id = r.subscription_id and d.id = r.dataset_id
       where d.reference_number = ? order by r.id`,
      [referenceNumber],
    )
    return rows
  }

  test('has the requestor, dataset, time and address of each request', async () => {
    const reference = await aDataset()
    const { key } = await createApiKey(service.db, {
      subscriptionId: tenant.subscriptionId,
      role: 'requester',
      label: 'scoring backend',
    })
    const path = `/v6.0/datasets/${reference}/datasetinsight`
    const proxied = await call(service.url, 'GET', path, { token, headers: { 'X-Real-IP': '203.0.113.7' } })
    const direct = await read(reference)
    const byKey = await readByCode(service.url, key, reference)
    expect(await recorded(reference)).toEqual([
      { requestor: tenant.userEmail, address: '203.0.113.7', at: proxied.body.requestedDate },
      { requestor: tenant.userEmail, address: '127.0.0.1', at: direct.body.requestedDate },
      { requestor: 'scoring backend', address: '127.0.0.1', at: byKey.body.requestedDate },
    ])
  })

  test('tells a key that is labelled like a person from that person', async () => {
    const reference = await aDataset()
    const { subscriptionId, userEmail } = tenant
    // from before such labels were refused
    const { id, key } = await createApiKey(service.db, {
      subscriptionId,
      role: 'requester',
      label: userEmail,
    })
    await read(reference)
    await readByCode(service.url, key, reference)
    const timeline = await call(service.url, 'GET', `/api/datasets/v1/${reference}/timeline`, { token })
    const reads = timeline.body.events.filter(({ event }: { event: string }) => event === 'read')
    expect(reads).toMatchObject([
      { actor: userEmail, actorKind: 'user', actorId: expect.any(Number) },
      { actor: `API key ${id}: ${userEmail}`, actorKind: 'key', actorId: id },
    ])
    const explained = await call(
      service.url,
      'GET',
      `/api/insights/v1/${reference}/explanation?insight=true`,
      {
        headers: { Authorization: `Bearer ${key}` },
      },
    )
    expect(explained.body.insight.requestor).toBe(`API key ${id}: ${userEmail}`)
  })

  test('includes requests without an insight, but no unauthenticated or other requests', async () => {
    const { referenceNumber } = anUpload()
    await upload(service.url, tenant.uploaderKey, { referenceNumber, data: 'AAAA' })
    expect((await read(referenceNumber)).status).toBe(422)
    await service.db('datasets').where({ reference_number: referenceNumber }).update({ status: 'deleted' })
    expect((await read(referenceNumber)).status).toBe(410)

    const stranger = await service.openTenant()
    await read(referenceNumber, await logIn(service.url, stranger))
    await read(referenceNumber, 'no-token')
    await assignInfo(service.url, tenant.uploaderKey, { referenceNumber, additionalInfo: { a: 'b' } })
    expect(await recorded(referenceNumber)).toHaveLength(2)
  })

  test('includes requests for unknown datasets, under the subscription of the requestor', async () => {
    const stranger = await service.openTenant()
    const reference = await aDataset()
    for (const number of ['LN-nowhere', reference])
      expect((await read(number, await logIn(service.url, stranger))).status).toBe(404)
    const { subscriptionId: subscription_id } = stranger
    expect(await service.db('insight_requests').where({ subscription_id }).orderBy('id')).toMatchObject([
      { reference_number: 'LN-nowhere', requestor: stranger.userEmail, dataset_id: null },
      { reference_number: reference, requestor: stranger.userEmail, dataset_id: null },
    ])
  })
})
