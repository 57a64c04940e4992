import { afterAll, beforeAll, expect, test } from 'vitest'
import { findExplainedInsight } from '../../db/datasets/insights.ts'
import {
  challengeScorecard,
  promoteScorecard,
  rollBackScorecard,
} from '../../db/scorecards/scorecard-stages.ts'
import { saveDefinition } from '../../db/scorecards/scorecards.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { call, logIn, readByCode, readInsight, upload } from '../support/client.ts'
import { aScorecard as aDefinition } from '../support/scorecards.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

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
  await service.db('scorecard_stages').where({ subscription_id: tenant.subscriptionId }).del()
}

const inputs = ['device_brand', 'device_os_major'].map((feature) => ({
  ...{ name: feature, feature },
  type: feature === 'device_brand' ? 'category' : 'number',
}))

const samsung = {
  name: 'brand',
  input: 'device_brand',
  coefficient: -1,
  attributes: [
    { in: ['samsung'], points: 29, woe: 0.5 },
    { else: true, points: -58, woe: -1 },
    { missing: true, points: 0, woe: 0 },
  ],
}

/** Good:bad 20:1 is 600, and 40 points double the odds; the score comes from the exact log-odds. */
const aScorecard = ({ intercept = -2, characteristics = [samsung], ...members }: Json = {}) =>
  aDefinition({
    inputs,
    model: { kind: 'points', intercept, characteristics },
    scaling: { pdo: 40, baseScore: 600, baseOdds: 20, odds: 'good:bad' },
    output: { from: 'scaling' },
    probability: {},
    ...members,
  })

async function deploy(code: string, members: Json = {}): Promise<string> {
  const { subscriptionId } = tenant
  const version = await saveDefinition(service.db, subscriptionId, aScorecard(members))
  await service.db.transaction((trx) => promoteScorecard(trx, { subscriptionId, code, version }))
  return version
}

async function scoresOf(capture: Json): Promise<{ referenceNumber: string; scores: unknown }> {
  const body = anUpload(capture)
  await upload(service.url, tenant.uploaderKey, body)
  const answer = await readInsight(service.url, token, body.referenceNumber)
  expect(answer.status).toBe(200)
  return { referenceNumber: body.referenceNumber, scores: answer.body.scores }
}

test("there is one entry for each scorecard of the dataset's platform", async () => {
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

test('a probability close to 1 is still a number of 4 decimals', async () => {
  await openTenant()
  await deploy('sure', { intercept: -900 })
  await deploy('lost', { intercept: 900 })
  const { scores } = await scoresOf(aCapture())
  expect((scores as Json[]).map(({ probability }) => probability)).toEqual([1, 0])
})

test('a missing required input makes the entry null, and the reason is stored', async () => {
  await openTenant()
  const osMajor = (attributes: Json[]) => ({
    characteristics: [{ name: 'os', input: 'device_os_major', coefficient: -1, attributes }],
  })
  const known = { else: true, points: 1, woe: 1 }
  await deploy('needs', {
    ...osMajor([known]),
    inputs: inputs.map((input) => ({ ...input, required: true })),
  })
  await deploy('tolerates', osMajor([known, { missing: true, points: 0, woe: 0 }]))
  const { referenceNumber, scores } = await scoresOf(aCapture({ device: { brand: 'samsung' } }))
  expect(scores).toEqual([
    { code: 'needs', value: null, probability: null },
    { code: 'tolerates', value: expect.any(Number), probability: expect.any(Number) },
  ])
  const explained = await findExplainedInsight(service.db, tenant.subscriptionId, referenceNumber)
  expect(explained?.explanations).toMatchObject([
    { code: 'needs', value: null, reason: expect.stringContaining('device_os_major') },
    { code: 'tolerates', logOdds: -2, probabilityFrom: 'logit' },
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

test('a deployed scorecard scores new datasets, and does not change existing insights', async () => {
  await openTenant()
  await deploy('card')
  const first = await scoresOf(aCapture())
  await deploy('card', { intercept: -5 })
  const second = await scoresOf(aCapture())
  expect(second.scores).not.toEqual(first.scores)
  expect((await readInsight(service.url, token, first.referenceNumber)).body.scores).toEqual(first.scores)
})

test('a challenger scores in shadow: its scores are stored, and no endpoint returns them', async () => {
  await openTenant()
  const { subscriptionId } = tenant
  const champion = await deploy('card')
  const challenger = await saveDefinition(service.db, subscriptionId, aScorecard({ intercept: 1 }))
  await service.db.transaction((trx) =>
    challengeScorecard(trx, { subscriptionId, code: 'card', version: challenger }),
  )
  const { referenceNumber, scores } = await scoresOf(aCapture())
  expect(scores).toEqual([{ code: 'card', value: 571, probability: 0.0759 }])
  const told = async (path: string, caller: string) => {
    const { status, body } = await call(service.url, 'GET', path, { token: caller })
    expect([path, status]).toEqual([path, 200])
    return body
  }
  const { requesterKey } = tenant
  const byCode = `/api/insights/v1/${referenceNumber}`
  const dataset = `/api/datasets/v1/${referenceNumber}`
  const explained = await told(`${byCode}/explanation`, requesterKey)
  expect(explained.scores).toMatchObject([{ code: 'card', value: 571, probability: 0.0759 }])
  // the challenger's 398 and 0.6225 are in no answer, and neither is its version
  const answers = [
    explained,
    await told(`${byCode}/explanation`, token),
    await told(`/v6.0/datasets/${referenceNumber}/datasetinsight`, token),
    await told(byCode, requesterKey),
    await told(`${byCode}?codes=card`, requesterKey),
    await told(`${dataset}/timeline`, token),
    await told(dataset, token),
    await told('/api/datasets/v1', token),
    await told('/api/exports/v1/datasets', token),
  ]
  for (const answer of answers)
    expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${challenger}|0\\.6225|\\b398\\b`))
  const { explanations, shadow } = await service
    .db('insights')
    .where({ subscription_id: subscriptionId })
    .first('explanations', 'shadow')
  expect(JSON.parse(explanations)).toMatchObject([{ code: 'card', version: champion, value: 571 }])
  // log-odds 1 - 0.5: 600 + 40 / ln 2 × (-0.5 − ln 20) = 398.27; 1 / (1 + e^-0.5) = 0.622459
  expect(JSON.parse(shadow)).toMatchObject([
    { code: 'card', version: challenger, value: 398, probability: 0.6225 },
  ])
})

test('a promotion and a rollback each take one step, and apply to new datasets', async () => {
  await openTenant()
  const { subscriptionId } = tenant
  const place = { subscriptionId, code: 'card' }
  const first = await deploy('card')
  const before = await scoresOf(aCapture())
  const second = await deploy('card', { intercept: 1 })
  expect((await scoresOf(aCapture())).scores).toEqual([{ code: 'card', value: 398, probability: 0.6225 }])
  expect(await service.db.transaction((trx) => rollBackScorecard(trx, place))).toEqual({
    code: 'card',
    version: first,
    replaced: second,
  })
  expect((await scoresOf(aCapture())).scores).toEqual(before.scores)
  await expect(service.db.transaction((trx) => rollBackScorecard(trx, place))).rejects.toThrow(
    'The champion under card replaced no other version',
  )
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
