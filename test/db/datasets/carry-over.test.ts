import { afterAll, beforeAll, expect, test } from 'vitest'
import * as versions from '../../../db/migrations/0004-scorecard-versions.ts'
import * as trials from '../../../db/migrations/0009-scorecard-trials.ts'
import * as modelsInBounds from '../../../db/migrations/0017-scorecard-suspensions.ts'
import { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import { listDefinitions, listScoringVersions } from '../../../db/scorecards/scorecards.ts'
import { compileScorecard } from '../../../worker/scoring/compile-scorecard.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

/** A scorecard as it was stored before versions existed. */
const OLD = {
  name: 'Old',
  description: 'By weights',
  source: 'Made up',
  bad: 'never paid',
  demonstration: false,
  platforms: ['android', 'web'],
  intercept: 2.2,
  scaling: { baseScore: 600, baseOdds: 20, pointsToDoubleOdds: 40 },
  characteristics: [
    {
      feature: 'contacts_count',
      bins: [
        { below: 20, weight: -0.4 },
        { from: 20, below: 100, weight: -0.1 },
        { from: 100, weight: 0.2 },
        { missing: true, weight: -0.05 },
      ],
    },
    {
      feature: 'device_rooted',
      bins: [
        { in: [true], weight: -1 },
        { in: [false], weight: 0.3 },
        { missing: true, weight: 0 },
      ],
    },
    {
      feature: 'device_brand',
      bins: [
        { in: ['apple'], weight: 0.7 },
        { else: true, weight: 0.1 },
        { in: ['nokia'], weight: 9 },
      ],
    },
    {
      feature: 'device_language',
      bins: [
        { else: true, weight: 0.25 },
        { missing: true, weight: 0 },
      ],
    },
  ],
}

/** Good:bad log-odds are the intercept and the weights; 40 points double odds of 20:1 at 600. */
function byHand(weights: readonly number[]) {
  const logOdds = weights.reduce((sum, weight) => sum + weight, 2.2)
  return {
    value: Math.round(600 + (40 / Math.LN2) * (logOdds - Math.log(20))),
    probability: Math.round(1e4 / (1 + Math.exp(logOdds))) / 1e4,
  }
}

test('a scorecard deployed before versions existed is champion under its version, with the same scores', async () => {
  const { db, owner, subscriptionId } = bench
  await modelsInBounds.down(owner)
  await trials.down(owner)
  await versions.down(owner)
  const other = await bench.openSubscription()
  for (const [id, code] of [
    [subscriptionId, 'app'],
    [subscriptionId, 'twin'],
    [other, 'app'],
  ] as const)
    await db('scorecards').insert({
      subscription_id: id,
      code,
      version: 'a'.repeat(64),
      definition: JSON.stringify(OLD),
    })
  await versions.up(owner)
  await modelsInBounds.up(owner)

  expect(await listScoringVersions(db, [subscriptionId, other])).toMatchObject([
    { subscriptionId, code: 'app', version: 'a'.repeat(64), stage: 'champion' },
    { subscriptionId, code: 'twin', stage: 'champion' },
    { subscriptionId: other, code: 'app', stage: 'champion' },
  ])
  const [found] = await listDefinitions(db, [{ subscriptionId, version: 'a'.repeat(64) }])
  if (!found) throw new Error('It was not carried over')
  expect(
    BuiltScorecard.safeParse(found.definition).error?.issues.map(({ message }) => message),
  ).toBeUndefined()
  const card = compileScorecard(found.definition)
  expect(
    card.score(
      { contacts_count: 19.9, device_rooted: true, device_brand: 'nokia', device_language: 'en' },
      'android',
    ),
  ).toMatchObject(byHand([-0.4, -1, 0.1, 0.25]))
  expect(
    card.score({ contacts_count: 20, device_rooted: false, device_brand: 'apple' }, 'web'),
  ).toMatchObject(byHand([-0.1, 0.3, 0.7, 0]))
  expect(card.score({ device_brand: 'x' }, 'web')).toMatchObject(byHand([-0.05, 0, 0.1, 0]))
  expect(card.score({ contacts_count: 1 }, 'web')).toEqual({
    ...{ value: null, probability: null },
    reason: 'device_brand is required but missing',
  })
})
