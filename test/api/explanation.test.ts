import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aCapture, anUpload } from '../support/captures.ts'
import { type Answer, call, declared, logIn, readByCode, readInsight, upload } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
})
afterAll(() => service.stop())

const explain = (
  referenceNumber: string,
  { query = '', language = '', credential = tenant.requesterKey } = {},
) =>
  call(service.url, 'GET', `/api/insights/v1/${referenceNumber}/explanation${query}`, {
    token: credential,
    headers: { ...(language && { 'Accept-Language': language }) },
  })

/** A rooted phone that was seen never before. */
async function uploadRooted(): Promise<string> {
  const body = anUpload(aCapture({ device: { brand: 'samsung', rooted: true, emulator: false } }))
  expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
  return body.referenceNumber
}

const { response: answer } = declared.find(({ operationId }) => operationId === 'explainScores') ?? {}

test('a score is explained completely: base and points add up to it, and each bin contains its input', async () => {
  const referenceNumber = await uploadRooted()
  const { status, body } = await explain(referenceNumber)
  expect(status).toBe(200)
  expect(answer?.schema?.safeParse(body).error).toBeUndefined()
  const [score] = body.scores
  expect(body).toMatchObject({ referenceNumber, scores: [{ code: 'demo_mobile', noScore: null }] })
  expect(score).toMatchObject({
    scorecard: {
      version: expect.stringMatching(/^[\da-f]{64}$/),
      name: 'Demonstration, mobile',
      segment: null,
      demonstration: true,
      direction: 'higherIsBetter',
    },
    probabilityFrom: 'scaling',
    logOdds: null,
    base: 554,
  })
  const points = score.characteristics.map((one: { points: number }) => one.points)
  expect(points.reduce((sum: number, some: number) => sum + some, score.base)).toBe(score.unrounded)
  expect(score.characteristics).toContainEqual({
    characteristic: 'device_rooted',
    input: true,
    bin: 'true',
    points: -58,
    baseline: 0,
    reason: { code: 'ROOTED', text: 'The device is rooted or jailbroken', language: 'en' },
  })
  expect(score.reasons[0]).toEqual({
    code: 'ROOTED',
    text: 'The device is rooted or jailbroken',
    language: 'en',
  })
  expect(score.reasons.length).toBeLessThanOrEqual(4)

  const { body: told } = await readByCode(service.url, tenant.requesterKey, referenceNumber)
  const { value } = told.insights.find(({ code }: { code: string }) => code === 'demo_mobile')
  expect(value).toEqual({ value: score.value, probability: score.probability }) // and nothing more
})

test('a login token is accepted, too; both requests are recorded as reads', async () => {
  const referenceNumber = await uploadRooted()
  expect((await explain(referenceNumber, { credential: token })).status).toBe(200)
  const byKey = await explain(referenceNumber)
  const records = await service
    .db('insight_requests')
    .where({ reference_number: referenceNumber })
    .orderBy('id')
    .select('requestor', 'requested_at')
  expect(records.map(({ requestor }) => requestor)).toEqual([tenant.userEmail, expect.any(String)])
  expect(byKey.body.requestedDate.slice(0, 23)).toBe(records[1].requested_at.toISOString().slice(0, 23))
})

test('an explanation with the insight is one read', async () => {
  const referenceNumber = await uploadRooted()
  const { body } = await explain(referenceNumber, { query: '?insight=true', credential: token })
  const reads = service.db('insight_requests').where({ reference_number: referenceNumber })
  expect(await reads.clone().pluck('requestor')).toEqual([tenant.userEmail])

  const { body: insight } = await readInsight(service.url, token, referenceNumber)
  expect(body.insight).toEqual({ ...insight, requestedDate: body.requestedDate })
  expect((await explain(referenceNumber)).body).not.toHaveProperty('insight')
})

describe('the language of the texts', () => {
  let referenceNumber: string
  beforeAll(async () => {
    referenceNumber = await uploadRooted()
  })
  const german = 'Das Gerät ist gerootet oder hat einen Jailbreak'
  const english = 'The device is rooted or jailbroken'

  test.each([
    ['', '', english],
    ['', 'de', german],
    ['', 'de-AT,en;q=0.5', german],
    ['', 'fr, de;q=0.8, en;q=0.9', english],
    ['', 'fr', english],
    ['', '*', english],
    ['?language=de', 'en', german],
    ['?language=DE-ch', '', german],
    ['?language=fr', 'de', german],
    ['?language=constructor', '', english],
  ])('query %j and header %j: %s', async (query, language, text) => {
    const { status, body } = await explain(referenceNumber, { query, language })
    expect([status, body.scores[0].reasons[0].text]).toEqual([200, text])
  })

  test('that is invalid is rejected', async () => {
    const { status, body } = await explain(referenceNumber, { query: `?language=${'x'.repeat(36)}` })
    expect([status, Object.keys(body.errors)]).toEqual([400, ['language']])
  })
})

test('an explanation does not wait for a burst', async () => {
  const slow = await startService({ worker: false })
  try {
    const of = await slow.openTenant()
    const bodies = Array.from({ length: 40 }, () => anUpload())
    for (const body of bodies) await upload(slow.url, of.uploaderKey, body)
    slow.startWorker({ concurrency: 1, pauseMs: 150 })
    const last = bodies.at(-1)?.referenceNumber ?? ''
    const { status } = await call(slow.url, 'GET', `/api/insights/v1/${last}/explanation`, {
      token: of.requesterKey,
    })
    const waiting = await slow.db('datasets').where({ status: 'received' }).pluck('id')
    expect([status, waiting.length > 0]).toEqual([200, true])
  } finally {
    await slow.stop()
  }
})

test('the reason for a missing score is returned', async () => {
  const body = anUpload(aCapture({ platform: 'ios' }))
  await upload(service.url, tenant.uploaderKey, body)
  await explain(body.referenceNumber)
  const reason = 'age is required but missing'
  const explanations = [{ code: 'mine', version: 'none', value: null, probability: null, reason }]
  await service
    .db('insights')
    .whereIn(
      'dataset_id',
      service.db('datasets').where({ reference_number: body.referenceNumber }).select('id'),
    )
    .update({ explanations: JSON.stringify(explanations) })
  const { body: told } = await explain(body.referenceNumber)
  expect(answer?.schema?.safeParse(told).error).toBeUndefined()
  expect(told.scores).toMatchObject([
    { code: 'mine', value: null, noScore: reason, reasons: [], characteristics: [] },
  ])
})

test('explanations from before scorecards had versions can still be read', async () => {
  const referenceNumber = await uploadRooted()
  await explain(referenceNumber)
  const old = {
    ...{ code: 'demo_mobile', version: 'a'.repeat(64), value: 512, probability: 0.1, logOdds: 2.2 },
    contributions: [{ feature: 'device_rooted', input: true, bin: 0, weight: -1 }],
  }
  await service
    .db('insights')
    .whereIn('dataset_id', service.db('datasets').where({ reference_number: referenceNumber }).select('id'))
    .update({ explanations: JSON.stringify([old]) })
  const { body }: Answer = await explain(referenceNumber)
  expect(answer?.schema?.safeParse(body).error).toBeUndefined()
  expect(body.scores[0].characteristics).toEqual([
    { characteristic: 'device_rooted', input: true, bin: 'bin 0', points: -1, baseline: null, reason: null },
  ])
})
