import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Velocity } from '../../../db/capture/velocity-counts.ts'
import { Scorecard } from '../../../db/scorecards/definition/definition.ts'
import { generateCaptures } from '../../../scripts/captures/generate-captures.ts'
import { importPmml } from '../../../scripts/scorecards/import/pmml/import-pmml.ts'
import { extractFeatures } from '../../../worker/features/extract-features.ts'
import { compileScorecard, type Score } from '../../../worker/scoring/compile-scorecard.ts'
import { findMismatch } from '../../../worker/scoring/find-mismatch.ts'
import { aPmml } from '../../support/a-pmml.ts'
import { aScorecard } from '../../support/scorecards.ts'

type Json = Record<string, unknown>

/** Scores a model whose log-odds of bad:good, and points, are x. */
function scoreOf(x: number, members: Json = {}): Score {
  const points = { input: 'x' }
  const characteristics = [{ name: 'x', input: 'x', attributes: [{ else: true, points }] }]
  const card = aScorecard({
    inputs: [{ name: 'x', feature: 'contacts_count', type: 'number', required: true }],
    model: { kind: 'points', characteristics },
    ...members,
  })
  return compileScorecard(card).scoreRow({ x }, 'android')
}

/** Scores a card with coefficients whose log-odds of bad:good are the intercept. */
const scoreLogOdds = (intercept: number, members: Json = {}) =>
  compileScorecard(
    aScorecard({
      model: {
        ...{ kind: 'points', intercept },
        characteristics: [
          {
            ...{ name: 'c', input: 'contacts', coefficient: 1 },
            attributes: [
              { else: true, points: 0, woe: 0 },
              { missing: true, points: 0, woe: 0 },
            ],
          },
        ],
      },
      output: { from: 'scaling' },
      ...members,
    }),
  ).score({}, 'android')

/**
 * 600 points at odds of 50:1 and 20 points to double the odds: factor 28.8539, offset 487.123.
 *
 * @see Siddiqi, Credit Risk Scorecards (2006), chapter 6, scaling
 */
describe('the scale', () => {
  test.each([
    [50, 600, 0.0196], // 1 / 51
    [100, 620, 0.0099], // 1 / 101
    [200, 640, 0.005], // 1 / 201 = 0.00498
    [25, 580, 0.0385], // 1 / 26 = 0.03846
    [51.8, 601, 0.0189], // 487.123 + 28.8539 × 3.94739 = 601.02
    [57.4, 604, 0.0171], // 487.123 + 28.8539 × 4.05004 = 603.98
    [1, 487, 0.5], // the offset
    [0.5, 467, 0.6667], // even worse odds: 487.123 - 20
  ])('gives good:bad odds of %d a score of %d and a probability of %d', (odds, value, probability) => {
    expect(scoreLogOdds(-Math.log(odds))).toMatchObject({ value, probability, probabilityFrom: 'logit' })
  })

  test('computes the probability from the unrounded score without log-odds', () => {
    expect(scoreOf(600)).toMatchObject({
      value: 600,
      probability: 0.0196,
      probabilityFrom: 'scaling',
      logOdds: null,
    })
    expect(scoreOf(620)).toMatchObject({ probability: 0.0099 })
    // 600.4: odds 50 × 2^0.02 = 50.6980, 1 / 51.6980; of the rounded score it would be 0.0196
    expect(scoreOf(600.4)).toMatchObject({ value: 600, unrounded: 600.4, probability: 0.0193 })
  })

  test('supports odds as bad:good, and higher scores as worse', () => {
    const scaling = { pdo: 20, baseScore: 600, baseOdds: 1 / 50, odds: 'bad:good' }
    expect(scoreOf(620, { scaling })).toMatchObject({ probability: 0.0099 })
    // risk scores: at 600 the odds are 50:1, at 620 twice as bad, 25:1
    const worse = { pdo: 20, baseScore: 600, baseOdds: 50, odds: 'good:bad', direction: 'higherIsWorse' }
    expect(scoreOf(620, { scaling: worse })).toMatchObject({ probability: 0.0385 })
    expect(scoreLogOdds(-Math.log(25), { scaling: worse })).toMatchObject({ value: 620, probability: 0.0385 })
  })
})

describe('a forest that gives exactly 0 or 1', () => {
  const scaling = { pdo: 20, baseScore: 600, baseOdds: 50, odds: 'good:bad' }
  const scoreShare = (x: number, members: Json = {}) =>
    compileScorecard(
      aScorecard({
        inputs: [{ name: 'x', feature: 'contacts_count', type: 'number', invalid: 'asIs' }],
        model: importPmml(
          aPmml(
            `<RegressionModel functionName="classification"><MiningSchema><MiningField name="x"/></MiningSchema>
             <RegressionTable intercept="0" targetCategory="bad"><NumericPredictor name="x" coefficient="1"/></RegressionTable>
             <RegressionTable intercept="0" targetCategory="good"/></RegressionModel>`,
          ),
        ).model,
        scaling,
        output: { from: 'scaling' },
        probability: { from: 'model', badCategory: 'bad' },
        ...members,
      }),
    ).scoreRow({ x }, 'android')
  /** 600 points at 50:1, 28.8539 for every 1 in log-odds: at 53 ln 2 from 0 it is 20 × 53 = 1,060 points from the offset. */
  const offset = 600 - (20 * Math.log(50)) / Math.LN2

  test('returns that probability, and a score at log-odds of 53 ln 2', () => {
    expect(scoreShare(0)).toMatchObject({
      value: Math.round(offset + 1060),
      probability: 0,
      unroundedProbability: 0,
    })
    expect(scoreShare(1)).toMatchObject({
      value: Math.round(offset - 1060),
      probability: 1,
      unroundedProbability: 1,
    })
    expect(scoreShare(0.5)).toMatchObject({ value: Math.round(offset), probability: 0.5 })
    expect(scoreShare(1)).toMatchObject({ logOdds: 53 * Math.LN2 })
  })

  test('returns it after calibration, and if it comes from the log-odds', () => {
    const probability = { from: 'model', badCategory: 'bad', calibration: { intercept: 1, slope: 0.1 } }
    expect(scoreShare(0, { probability })).toMatchObject({ unroundedProbability: 0 })
    expect(scoreShare(1, { probability: { badCategory: 'bad' } })).toMatchObject({
      probabilityFrom: 'logit',
      unroundedProbability: 1,
    })
  })
})

describe('rounding', () => {
  const rounded = (x: number, rounding: string) => scoreOf(x, { output: { rounding } }).value

  test.each([
    [2.5, 3, 2],
    [3.5, 4, 4],
    [2.4999, 2, 2],
    [0.5, 1, 0],
    [1.5, 2, 2],
    [-0.5, -1, 0],
    [-1.5, -2, -2],
    [-2.5, -3, -2],
    [-2.4999, -2, -2],
    [0.4, 0, 0],
    [-0.4, 0, 0],
    [1e6, 1e6, 1e6],
  ])(
    'rounds %d to %d with halves away from zero, or to %d with halves to even; never to -0',
    (x, away, even) => {
      expect(rounded(x, 'halfAwayFromZero')).toBe(away) // by Object.is
      expect(rounded(x, 'halfEven')).toBe(even)
    },
  )

  test('precedes min and max, and the unrounded value is returned', () => {
    const output = { min: 300, max: 850 }
    expect(scoreOf(299.4, { output })).toMatchObject({ value: 300, unrounded: 299.4 })
    expect(scoreOf(851, { output })).toMatchObject({ value: 850, unrounded: 851 })
  })
})

describe('the probability', () => {
  test.each([
    [1_000, 1],
    [20, 1],
    [-20, 0],
    [-1_000, 0],
  ])('of log-odds of %d is %d', (logOdds, probability) => {
    expect(scoreLogOdds(logOdds)).toMatchObject({ probability, value: expect.any(Number) })
  })

  test('has 4 decimals, a floor and a ceiling', () => {
    expect(scoreLogOdds(0.52).probability).toBe(0.6271) // 1 / (1 + e^-0.52) = 0.627148
    const probability = { floor: 0.01, ceiling: 0.8 }
    expect(scoreLogOdds(-9, { probability }).probability).toBe(0.01)
    expect(scoreLogOdds(9, { probability }).probability).toBe(0.8)
  })

  test('is calibrated on the scale of log-odds', () => {
    const probability = { calibration: { intercept: 0.2, slope: 0.5 } }
    expect(scoreLogOdds(-3, { probability }).probability).toBe(0.2142) // 1 / (1 + e^1.3) = 0.214165
  })

  test('comes from a table by unrounded score', () => {
    const table = [
      { below: 500, probability: 0.3 },
      { below: 600.5, probability: 0.1 },
      { probability: 0.02 },
    ]
    const probability = { from: 'table', table }
    expect([499.9, 500, 600.4, 600.5, 900].map((x) => scoreOf(x, { probability }).probability)).toEqual([
      0.3, 0.1, 0.1, 0.02, 0.02,
    ])
    expect(scoreOf(1, { probability })).toMatchObject({ probabilityFrom: 'table' })
  })

  test('is null if the scorecard has none', () => {
    expect(scoreOf(600, { probability: undefined })).toMatchObject({
      probability: null,
      probabilityFrom: null,
    })
  })
})

describe('reasons', () => {
  const codes = ['A', 'B', 'C', 'D', 'E', 'F']
  /** Ranks reasons of characteristics with these points and a baseline of 10. */
  const reasonsOf = (points: number[], reasons: Json = {}, codeOf = (n: number) => codes[n]) => {
    const scored = compileScorecard(
      aScorecard({
        model: {
          kind: 'points',
          characteristics: points.map((p, n) => ({
            ...{ name: `c${n}`, baseline: 10, reasonCode: codeOf(n) },
            attributes: [{ else: true, points: p }],
          })),
        },
        reasons: { texts: Object.fromEntries(codes.map((code) => [code, { en: code }])), ...reasons },
      }),
    ).score({}, 'ios')
    return scored.value === null ? [] : scored.reasons
  }

  test('are those below their baseline, farthest first, four at most', () => {
    expect(reasonsOf([9, 1, 10, 11, 5, 3])).toEqual(['B', 'F', 'E', 'A'])
    expect(reasonsOf([1, 2, 3, 4, 5, 6])).toEqual(['A', 'B', 'C', 'D'])
    expect(reasonsOf([6, 5, 4, 3, 2, 1])).toEqual(['F', 'E', 'D', 'C'])
    expect(reasonsOf([1, 2, 3], { atMost: 2 })).toEqual(['A', 'B'])
    expect(reasonsOf([1, 2, 3], { atMost: 0 })).toEqual([])
  })

  test('are in the order of the scorecard for ties', () => {
    expect(reasonsOf([5, 5, 1, 5, 5, 5])).toEqual(['C', 'A', 'B', 'D'])
  })

  test('are those above if higher is worse', () => {
    expect(reasonsOf([9, 12, 30, 10], { points: 'aboveBaseline' })).toEqual(['C', 'B'])
  })

  test('exclude points at the baseline, unless configured otherwise', () => {
    expect(reasonsOf([10, 10])).toEqual([])
    expect(reasonsOf([10, 10, 4], { withoutDifference: true })).toEqual(['C', 'A', 'B'])
  })

  test('contain a code once, with its largest difference', () => {
    const same = (n: number) => (n % 2 === 0 ? 'A' : codes[n])
    expect(reasonsOf([9, 5, 1, 3, 8, 2], {}, same)).toEqual(['A', 'F', 'D', 'B'])
    expect(reasonsOf([1, 5, 9, 3], {}, same)).toEqual(['A', 'D', 'B'])
  })
})

describe('segments and exclusions', () => {
  const inputs = [
    { name: 'contacts', feature: 'contacts_count', type: 'number' },
    { name: 'brand', feature: 'device_brand', type: 'category' },
  ]
  const segment = (name: string, when: Json, points: number) => ({
    ...{ name, when },
    model: { kind: 'points', characteristics: [{ name: 'c', attributes: [{ else: true, points }] }] },
  })
  const segments = [
    segment('thin', { fewerInputsThan: 2 }, 1),
    segment('android', { platforms: ['android'] }, 2),
    segment('many', { predicate: { input: 'contacts', op: '>', value: 50 } }, 3),
  ]
  const card = compileScorecard(aScorecard({ model: undefined, inputs, segments }))
  const full = { contacts_count: 60, device_brand: 'a' }

  test('the first matching segment scores a dataset', () => {
    expect(card.score({ contacts_count: 60 }, 'android')).toMatchObject({ value: 1, segment: 'thin' })
    expect(card.score(full, 'android')).toMatchObject({ value: 2, segment: 'android' })
    expect(card.score(full, 'ios')).toMatchObject({ value: 3, segment: 'many' })
    expect(card.score({ ...full, contacts_count: 50 }, 'ios')).toEqual({
      ...{ value: null, probability: null },
      reason: 'no segment of the scorecard matches the dataset',
    })
  })

  test('excluded datasets have no score, but the reason', () => {
    const when = { platforms: ['ios'], predicate: { input: 'brand', op: 'missing' } }
    const excluding = compileScorecard(
      aScorecard({ model: undefined, inputs, segments, exclusions: [{ when, reason: 'unknown brand' }] }),
    )
    const without = { contacts_count: 60 }
    expect(excluding.score(without, 'ios')).toEqual({
      value: null,
      probability: null,
      reason: 'unknown brand',
    })
    expect(excluding.score(without, 'android').value).toBe(1)
  })
})

describe('a text in a column of numbers', () => {
  const read = (invalid: unknown) =>
    scoreOf('abc' as never, {
      inputs: [{ name: 'x', feature: 'contacts_count', type: 'number', required: true, invalid }],
    })

  test('is invalid, and treated as the input specifies', () => {
    const notValid = { value: null, reason: 'x (contacts_count) has an invalid value: "abc"' }
    expect(read('noScore')).toMatchObject(notValid)
    // a text cannot be used as a number
    expect(read('asIs')).toMatchObject(notValid)
    expect(read({ value: 7 })).toMatchObject({ value: 7 })
    expect(read('asMissing')).toMatchObject({ value: null, reason: expect.stringContaining('missing') })
  })

  test('is passed unchanged to a model that validates values itself', () => {
    const card = aScorecard({
      inputs: [{ name: 'x', feature: 'contacts_count', type: 'number', invalid: 'asIs' }],
      model: importPmml(
        aPmml(
          `<RegressionModel functionName="regression"><MiningSchema><MiningField name="x" missingValueReplacement="1"/></MiningSchema>
         <RegressionTable intercept="0"><NumericPredictor name="x" coefficient="1"/></RegressionTable></RegressionModel>`,
        ),
      ).model,
    })
    const score = (x: unknown) => compileScorecard(card).scoreRow({ x }, 'android')
    expect(score('abc')).toMatchObject({ value: null, reason: 'x has an invalid value: "abc"' })
    expect(score(undefined)).toMatchObject({ value: 1 })
    expect(score('7')).toMatchObject({ value: 7 })
  })
})

test('a mismatching verification row is described', () => {
  const rows = (...verification: Json[]) => {
    const card = aScorecard({ verification })
    return findMismatch(card, compileScorecard(card))
  }
  expect(
    rows({ inputs: { contacts: 5 }, score: 580, probability: 0.0385 }, { inputs: {}, score: 600 }),
  ).toBeUndefined()
  expect(rows({ inputs: { contacts: 5 } }, { inputs: { contacts: 500 }, score: 580 })).toBe(
    'verification row 2: score 615, expected 580',
  )
  expect(rows({ inputs: {}, probability: 0.5 })).toMatch(/probability 0.0196\d*, expected 0.5/)
  // 0.0384615…: values with 4 decimals are rounded, values with 6 or more are not
  const five = (probability: number) => rows({ inputs: { contacts: 5 }, probability })
  expect([five(0.0384), five(0.0385), five(0.03846), five(0.0384619)].map(Boolean)).toEqual([
    ...[true, false, false, false],
  ])
  expect([five(0.03847), five(0.0384999), five(0.0384), five(3.5e-8)].map(Boolean)).toEqual([
    ...[true, true, true, true],
  ])
  expect(rows({ inputs: {}, reasonCodes: ['A'] })).toMatch(/reasons none, expected A/)
})

describe('the demonstration scorecards', () => {
  const cards = ['demo-mobile', 'demo-web'].map((name) => {
    const file = new URL(`../../../scripts/scorecards/${name}.json`, import.meta.url)
    const card = Scorecard.parse(JSON.parse(readFileSync(file, 'utf8')))
    return { ...card, compiled: compileScorecard(card) }
  })
  const counts = { '10m': 1, '1h': 1, '24h': 2, '7d': 3, '30d': 5 }
  const velocities: Record<string, Velocity> = {
    'nobody known': { device: null, client: null },
    'a device seen first': { device: { datasets: 1, windows: counts, clients: null }, client: null },
    'all known': {
      device: { datasets: 9, windows: counts, clients: 3 },
      client: { id: 'c', datasets: 4, devices: 3, windows: counts },
    },
  }

  test.each(Object.entries(velocities))('score every generated capture, with %s', (_, velocity) => {
    const values = new Set<number>()
    for (const { capture, realIp, additionalInfo } of generateCaptures({
      seed: 'score',
      count: 100,
      size: 'small',
      platforms: { android: 50, ios: 25, web: 25 },
    })) {
      const uploadedAt = new Date(Date.parse(capture.collectedAt) + 5_000)
      const features = extractFeatures({ capture, uploadedAt, realIp, additionalInfo, velocity })
      for (const card of cards.filter(({ platforms }) => platforms.includes(capture.platform))) {
        const scored = card.compiled.score(features, capture.platform)
        if (scored.value === null) throw new Error(scored.reason)
        values.add(scored.value)
        expect(scored.contributions).toHaveLength(card.inputs.length)
      }
    }
    expect(values.size).toBeGreaterThan(20)
    expect(Math.min(...values)).toBeGreaterThan(300)
    expect(Math.max(...values)).toBeLessThan(900)
  })

  test('score an empty capture', () => {
    for (const { compiled, platforms } of cards)
      expect(compiled.score({}, platforms[0] ?? 'web').value).not.toBeNull()
  })
})
