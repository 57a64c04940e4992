import { afterAll, beforeAll, expect, test } from 'vitest'
import { findExplainedInsight } from '../../db/insights.ts'
import { Scorecard } from '../../db/scorecard.ts'
import { deployScorecard } from '../../db/scorecards.ts'
import { aCapture, anUpload } from '../captures.ts'
import { logIn, readByCode, readInsight, upload } from '../client.ts'
import { type Service, startService, type Tenant } from '../service.ts'

type Json = Record<string, unknown>

let service: Service
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** A subscription without scorecards. */
async function openTenant(): Promise<void> {
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
  await service.db('scorecards').where({ subscription_id: tenant.subscriptionId }).del()
}

const samsung = {
  feature: 'device_brand',
  bins: [
    { in: ['samsung'], weight: 0.5 },
    { else: true, weight: -1 },
  ],
}

const aScorecard = (members: Json = {}): Scorecard =>
  Scorecard.parse({
    name: 'Test',
    description: 'Of a test',
    source: 'Made up',
    bad: 'nothing',
    platforms: ['android', 'ios', 'web'],
    intercept: 2,
    scaling: { baseScore: 600, baseOdds: 20, pointsToDoubleOdds: 40 },
    characteristics: [samsung],
    ...members,
  })

const deploy = (code: string, members: Json = {}) =>
  deployScorecard(
    service.db,
    { subscriptionId: tenant.subscriptionId, code, version: crypto.randomUUID() },
    aScorecard(members),
  )

async function scoresOf(capture: Json): Promise<{ referenceNumber: string; scores: unknown }> {
  const body = anUpload(capture)
  await upload(service.url, tenant.uploaderKey, body)
  const answer = await readInsight(service.url, token, body.referenceNumber)
  expect(answer.status).toBe(200)
  return { referenceNumber: body.referenceNumber, scores: answer.body.scores }
}

test('there is one entry for each scorecard that is for the platform of the dataset', async () => {
  await openTenant()
  await deploy('all')
  await deploy('mobile', { platforms: ['android', 'ios'] })
  await deploy('ios', { platforms: ['ios'] })
  await deploy('web', { platforms: ['web'] })
  const codes = async (platform: string) =>
    ((await scoresOf(aCapture({ platform }))).scores as Json[]).map(({ code }) => code)
  expect(await codes('android')).toEqual(['all', 'mobile'])
  expect(await codes('ios')).toEqual(['all', 'ios', 'mobile'])
  expect(await codes('web')).toEqual(['all', 'web'])
})

test('value is the rounded score, probability comes from the unrounded log-odds, to 4 decimals', async () => {
  await openTenant()
  await deploy('score')
  // log-odds 2 + 0.5: 600 + 40 / ln 2 × (2.5 − ln 20) = 571.39; 1 / (1 + e^2.5) = 0.075858
  expect((await scoresOf(aCapture())).scores).toEqual([{ code: 'score', value: 571, probability: 0.0759 }])
  // log-odds 2 − 1: 600 + 40 / ln 2 × (1 − ln 20) = 484.83; 1 / (1 + e) = 0.268941
  expect((await scoresOf(aCapture({ device: { brand: 'Other' } }))).scores).toEqual([
    { code: 'score', value: 485, probability: 0.2689 },
  ])
})

test('a probability that is all but certain is still a number of 4 decimals', async () => {
  await openTenant()
  await deploy('sure', { intercept: 900 })
  await deploy('lost', { intercept: -900 })
  const { scores } = await scoresOf(aCapture())
  expect((scores as Json[]).map(({ probability }) => probability)).toEqual([1, 0])
})

test('where a required input is missing the entry is null, and the reason is kept', async () => {
  await openTenant()
  await deploy('needs', {
    characteristics: [samsung, { feature: 'device_os_major', bins: [{ from: 0, weight: 1 }] }],
  })
  await deploy('tolerates', {
    characteristics: [
      {
        feature: 'device_os_major',
        bins: [
          { from: 0, weight: 1 },
          { missing: true, weight: 0 },
        ],
      },
    ],
  })
  const { referenceNumber, scores } = await scoresOf(aCapture({ device: { brand: 'samsung' } }))
  expect(scores).toEqual([
    { code: 'needs', value: null, probability: null },
    { code: 'tolerates', value: expect.any(Number), probability: expect.any(Number) },
  ])
  const explained = await findExplainedInsight(service.db, tenant.subscriptionId, referenceNumber)
  expect(explained?.explanations).toMatchObject([
    { code: 'needs', value: null, reason: expect.stringContaining('device_os_major') },
    { code: 'tolerates', logOdds: 2 },
  ])
})

test('a subscription without scorecards and fragments has empty lists', async () => {
  await openTenant()
  await service.db('fragments').where({ subscription_id: tenant.subscriptionId }).del()
  const { referenceNumber, scores } = await scoresOf(aCapture())
  expect(scores).toEqual([])
  const { body } = await readByCode(service.url, tenant.requesterKey, referenceNumber)
  expect(body.insights).toEqual([])
})

test('a scorecard that is deployed scores from the next dataset on, and leaves insights as they are', async () => {
  await openTenant()
  await deploy('card')
  const first = await scoresOf(aCapture())
  await deploy('card', { intercept: 5 })
  const second = await scoresOf(aCapture())
  expect(second.scores).not.toEqual(first.scores)
  expect((await readInsight(service.url, token, first.referenceNumber)).body.scores).toEqual(first.scores)
})

test('a new subscription scores phones and browsers with the demonstration scorecards', async () => {
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
  for (const [platform, code] of [
    ['android', 'demo_mobile'],
    ['ios', 'demo_mobile'],
    ['web', 'demo_web'],
  ] as const) {
    const { scores } = await scoresOf(aCapture({ platform }))
    expect(scores).toEqual([{ code, value: expect.any(Number), probability: expect.any(Number) }])
    for (const { value, probability } of scores as { value: number; probability: number }[]) {
      expect(Number.isInteger(value)).toBe(true)
      expect(Number(probability.toFixed(4))).toBe(probability)
    }
  }
})
