import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aCapture, anUpload, encode } from '../support/captures.ts'
import { logIn, readInsight, upload } from '../support/client.ts'
import { BACKENDS, type Service, startService, type Tenant } from '../support/service.ts'

describe.each(BACKENDS)('with the queue on %s', (backend) => {
  let service: Service
  let tenant: Tenant
  let token: string

  beforeAll(async () => {
    service = await startService({ backend })
    tenant = await service.openTenant()
    token = await logIn(service.url, tenant)
  })
  afterAll(() => service.stop())

  test('an uploaded dataset has an insight at once', async () => {
    const body = anUpload()
    const uploaded = await upload(service.url, tenant.uploaderKey, body)
    expect(uploaded.status).toBe(200)
    const { status, body: insight } = await readInsight(service.url, token, body.referenceNumber)
    expect(status).toBe(200)
    expect(insight.datasetInfo).toEqual({ ...uploaded.body, source: 0 })
  })

  test('all datasets of a burst are stored under their reference numbers and processed', async () => {
    const bodies = Array.from({ length: 150 }, (_, n) =>
      anUpload(aCapture({ platform: n % 2 ? 'ios' : 'android', device: { id: `burst-${n}` } })),
    )
    const answers = await Promise.all(bodies.map((body) => upload(service.url, tenant.uploaderKey, body)))
    expect(answers.map(({ status, body }) => [status, body.referenceNumber])).toEqual(
      bodies.map(({ referenceNumber }) => [200, referenceNumber]),
    )
    const insights = await Promise.all(
      bodies.map(({ referenceNumber }) => readInsight(service.url, token, referenceNumber)),
    )
    for (const [n, { status, body }] of insights.entries()) {
      expect(status).toBe(200)
      expect(body.datasetInfo).toEqual({ ...answers[n]?.body, source: n % 2 })
      const info = body.fragments.find(({ code }: { code: string }) => code === 'device_info')
      expect(info.value.deviceID).toBe(`burst-${n}`)
    }
  })
})

describe('an upload', () => {
  let service: Service
  let tenant: Tenant

  beforeAll(async () => {
    service = await startService({ worker: false })
    tenant = await service.openTenant()
  })
  afterAll(() => service.stop())

  const send = (body: unknown, by = tenant) => upload(service.url, by.uploaderKey, body)
  const stored = (referenceNumber: string, by = tenant) =>
    service
      .db('datasets')
      .where({ subscription_id: by.subscriptionId, reference_number: referenceNumber })
      .first()

  test('returns its reference number and time of upload, to the microsecond', async () => {
    const before = Date.now()
    const body = anUpload()
    const answer = await send(body)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.body)).toEqual(['referenceNumber', 'uploadDate'])
    expect(answer.body.referenceNumber).toBe(body.referenceNumber)
    expect(answer.body.uploadDate).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
    const at = Date.parse(`${answer.body.uploadDate}Z`)
    expect(at).toBeGreaterThanOrEqual(before - 5)
    expect(at).toBeLessThanOrEqual(Date.now() + 5)

    const dates = [answer, ...(await Promise.all(Array.from({ length: 9 }, () => send(anUpload()))))].map(
      (one) => one.body.uploadDate,
    )
    expect(dates.filter((date) => date.endsWith('000')).length).toBeLessThan(5)
  })

  test('is committed before the response', async () => {
    const body = anUpload()
    await send(body)
    expect(await stored(body.referenceNumber)).toMatchObject({
      status: 'received',
      blob: Buffer.from(String(body.data), 'base64'),
    })
  })

  test('can be retried: the same data returns the first uploadDate, and is stored once', async () => {
    const body = anUpload()
    const first = await send(body)
    const retries = [await send(body), await send({ ...body, realIp: '10.0.0.9' })]
    for (const retry of retries) expect([retry.status, retry.body]).toEqual([200, first.body])
    expect((await stored(body.referenceNumber)).real_ip).toBeNull()
  })

  test('with the reference number of another dataset is rejected, and changes nothing', async () => {
    const body = anUpload(aCapture(), { additionalInfo: { clientId: 'C-1' } })
    await send(body)
    const before = await stored(body.referenceNumber)
    const other = { ...body, data: encode(aCapture({ device: { id: 'd2' } })), additionalInfo: { more: 'x' } }
    const { status, body: problem } = await send(other)
    expect([status, problem.title]).toEqual([409, 'reference_number_taken'])
    expect(await stored(body.referenceNumber)).toEqual(before)
  })

  test('may have the reference number of a dataset of another subscription', async () => {
    const other = await service.openTenant()
    const [mine, theirs] = [anUpload(), anUpload(aCapture({ device: { id: 'theirs' } }))]
    theirs.referenceNumber = mine.referenceNumber
    expect([(await send(mine)).status, (await send(theirs, other)).status]).toEqual([200, 200])
    expect((await stored(mine.referenceNumber)).blob).not.toEqual(
      (await stored(mine.referenceNumber, other)).blob,
    )
  })

  test('has a case-sensitive reference number', async () => {
    const [lower, upper] = [anUpload(), anUpload(aCapture({ device: { id: 'other' } }))]
    lower.referenceNumber = 'ref-case'
    upper.referenceNumber = 'REF-CASE'
    expect([(await send(lower)).status, (await send(upper)).status]).toEqual([200, 200])
  })

  test('among concurrent ones with one reference number and different data, exactly one is accepted', async () => {
    const { referenceNumber } = anUpload()
    const bodies = Array.from({ length: 20 }, (_, n) => ({
      referenceNumber,
      data: encode(aCapture({ device: { id: `at-once-${n}` } })),
    }))
    const answers = await Promise.all(bodies.map((body) => send(body)))
    const winner = answers.findIndex(({ status }) => status === 200)
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)])
    expect((await stored(referenceNumber)).blob).toEqual(Buffer.from(bodies[winner]?.data ?? '', 'base64'))
  })

  test('among concurrent ones with one reference number and the same data, all get the same response', async () => {
    const body = anUpload()
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(body)))
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.uploadDate}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(200)
  })

  test('of a deleted dataset returns 410, whatever its data', async () => {
    const body = anUpload()
    await send(body)
    await service
      .db('datasets')
      .where({ reference_number: body.referenceNumber })
      .update({ status: 'deleted', blob: null, ring_at: null })
    for (const again of [body, { ...body, data: encode({}) }, { ...body, additionalInfo: { a: 'b' } }]) {
      const { status, body: problem } = await send(again)
      expect([status, problem.title]).toEqual([410, 'dataset_deleted'])
    }
    expect(await stored(body.referenceNumber)).toMatchObject({ status: 'deleted', additional_info: {} })
  })

  test('accepts base64 of both alphabets, with and without padding, white space ignored', async () => {
    const bytes = Buffer.concat([Buffer.from([0xfb, 0xef, 0xbe, 0xff]), randomBytes(300)]) // ++++ and ////
    for (const size of [301, 302, 303]) {
      const part = bytes.subarray(0, size)
      const standard = part.toString('base64')
      const variants = {
        standard,
        unpadded: standard.replace(/=+$/, ''),
        url: part.toString('base64url'),
        'url, padded': standard.replaceAll('+', '-').replaceAll('/', '_'),
        'in lines': standard.replace(/.{76}/g, '$&\r\n'),
        'with white space around': ` \t${standard}\n`,
        'unpadded, with white space': ` ${part.toString('base64url')} `,
      }
      for (const [variant, data] of Object.entries(variants)) {
        const { referenceNumber } = anUpload()
        expect((await send({ referenceNumber, data })).status, variant).toBe(200)
        const { blob, data_hash } = await stored(referenceNumber)
        expect(blob.equals(part), `${variant} of ${size} bytes`).toBe(true)
        expect(data_hash).toEqual(createHash('sha256').update(data).digest())
      }
    }
  })

  test.each([
    '',
    ' ',
    '=',
    '====',
    'A',
    'AAAAA',
    'AA=',
    'AAA==',
    'AAAA====',
    'AA==AAAA',
    'H4sI*AAA',
    '{"a":1}',
    'Zürich0',
  ])('does not take %j, which is not base64', async (data) => {
    const { status, body } = await send({ ...anUpload(), data })
    expect([status, body.title, Object.keys(body.errors)]).toEqual([400, 'validation_failed', ['data']])
  })
})
