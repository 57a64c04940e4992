import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PLATFORMS } from '../../db/capture.ts'
import type { Features } from '../../db/features.ts'
import { Scorecard } from '../../db/scorecard.ts'
import type { Velocity } from '../../db/velocity-counts.ts'
import { generateCaptures } from '../../scripts/captures/generate-captures.ts'
import { extractFeatures } from '../../worker/features/extract-features.ts'
import { score } from '../../worker/scoring/score.ts'
import { aScorecard } from '../scorecards.ts'

/** Which bin a value falls into, by its weight; null when there is no score. */
function weightOf(bins: object[], features: Features, feature = 'contacts_count'): number | null {
  const scored = score(aScorecard({ characteristics: [{ feature, bins }] }), features)
  return scored.value === null ? null : scored.logOdds
}

/** Scores by log-odds alone: its one characteristic adds nothing. */
const scoreLogOdds = (intercept: number, scaling: object = {}) =>
  score(
    aScorecard({
      intercept,
      scaling: { baseScore: 600, baseOdds: 50, pointsToDoubleOdds: 20, ...scaling },
      characteristics: [{ feature: 'contacts_count', bins: [{ missing: true, weight: 0 }] }],
    }),
    {},
  )

describe('a bin', () => {
  const ranges = [
    { below: 10, weight: 1 },
    { from: 10, below: 20, weight: 2 },
    { from: 20, weight: 3 },
  ]

  test.each([
    [-5, 1],
    [9.999, 1],
    [10, 2],
    [19, 2],
    [20, 3],
    [1e12, 3],
  ])('of numbers holds its from and not its below: %d', (contacts_count, weight) => {
    expect(weightOf(ranges, { contacts_count })).toBe(weight)
  })

  test('of categories holds those that it names, exactly', () => {
    const bins = [
      { in: ['apple', 'google'], weight: 1 },
      { in: ['samsung'], weight: 2 },
    ]
    const weightOfBrand = (device_brand: string) => weightOf(bins, { device_brand }, 'device_brand')
    expect(['apple', 'google', 'samsung', 'Apple', ''].map(weightOfBrand)).toEqual([1, 1, 2, null, null])
  })

  test('of booleans holds true, false or both', () => {
    const bins = [
      { in: [true], weight: 1 },
      { in: [false, true], weight: 2 },
    ]
    const weightOfRooted = (device_rooted: boolean) => weightOf(bins, { device_rooted }, 'device_rooted')
    expect([true, false].map(weightOfRooted)).toEqual([1, 2])
  })

  test('for missing holds nothing else, and a 0 or false is not missing', () => {
    const missing = [{ missing: true, weight: 5 }]
    expect(weightOf(missing, {})).toBe(5)
    expect(weightOf(missing, { contacts_count: 0 })).toBeNull()
    expect(weightOf(missing, { device_rooted: false }, 'device_rooted')).toBeNull()
  })

  test('for else holds every value, but not a missing one', () => {
    const otherwise = [{ else: true, weight: 5 }]
    expect(weightOf(otherwise, { contacts_count: 0 })).toBe(5)
    expect(weightOf(otherwise, { device_brand: '' }, 'device_brand')).toBe(5)
    expect(weightOf(otherwise, { device_rooted: false }, 'device_rooted')).toBe(5)
    expect(weightOf(otherwise, {})).toBeNull()
  })

  test('that matches first is the one, so else belongs at the end', () => {
    expect(weightOf([{ below: 10, weight: 1 }, ...ranges], { contacts_count: 5 })).toBe(1)
    expect(
      weightOf(
        [
          { below: 10, weight: 7 },
          { below: 20, weight: 8 },
        ],
        { contacts_count: 5 },
      ),
    ).toBe(7)
    expect(weightOf([{ else: true, weight: 9 }, ...ranges], { contacts_count: 5 })).toBe(9)
  })

  test('is found wherever the bins leave no gap', () => {
    const cuts = fc.uniqueArray(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(cuts, fc.double({ min: -2_000, max: 2_000, noNaN: true }), (unsorted, contacts_count) => {
        const sorted = unsorted.toSorted((a, b) => a - b)
        const bins = [
          ...sorted.map((below, n) => ({ ...(n > 0 && { from: sorted[n - 1] }), below, weight: n })),
          { from: sorted.at(-1), weight: sorted.length },
        ]
        expect(weightOf(bins, { contacts_count })).toBe(sorted.filter((cut) => cut <= contacts_count).length)
      }),
      { numRuns: 300 },
    )
  })
})

describe('without a bin there is no score', () => {
  const card = aScorecard({
    characteristics: [
      { feature: 'device_rooted', bins: [{ in: [false], weight: 1 }] },
      { feature: 'contacts_count', bins: [{ from: 10, weight: 1 }] },
    ],
  })

  test.each([
    [{ device_rooted: false }, 'contacts_count is missing'],
    [{ contacts_count: 10 }, 'device_rooted is missing'],
    [{ device_rooted: true, contacts_count: 10 }, 'device_rooted is true'],
    [{ device_rooted: false, contacts_count: 9.5 }, 'contacts_count is 9.5'],
  ])('%j: the reason names the feature and its value', (features, reason) => {
    expect(score(card, features)).toEqual({
      value: null,
      probability: null,
      reason: `${reason}, and the scorecard has no bin for that`,
    })
  })
})

test('each characteristic adds its weight to the intercept, and says by which bin', () => {
  const card = aScorecard({
    intercept: 0.5,
    characteristics: [
      {
        feature: 'device_rooted',
        bins: [
          { in: [true], weight: -1 },
          { else: true, weight: 0.25 },
        ],
      },
      {
        feature: 'contacts_count',
        bins: [
          { below: 9, weight: 3 },
          { from: 9, weight: 2 },
        ],
      },
      { feature: 'device_brand', bins: [{ missing: true, weight: -0.75 }] },
    ],
  })
  expect(score(card, { device_rooted: false, contacts_count: 40 })).toMatchObject({
    logOdds: 2,
    contributions: [
      { feature: 'device_rooted', input: false, bin: 1, weight: 0.25 },
      { feature: 'contacts_count', input: 40, bin: 1, weight: 2 },
      { feature: 'device_brand', input: null, bin: 0, weight: -0.75 },
    ],
  })
})

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
  ])('gives odds of %d:1 a score of %d and a probability of %d', (odds, value, probability) => {
    expect(scoreLogOdds(Math.log(odds))).toMatchObject({ value, probability })
  })

  test('of the demonstrations puts odds of 20:1 at 600 and doubles them in 40', () => {
    const scaling = { baseOdds: 20, pointsToDoubleOdds: 40 }
    expect(scoreLogOdds(Math.log(20), scaling).value).toBe(600)
    expect(scoreLogOdds(Math.log(80), scaling).value).toBe(680)
    // 600 + 40 / 0.693147 × (2.2 - 2.995732) = 600 - 45.92; 1 / (1 + e^2.2) = 1 / 10.025013
    expect(scoreLogOdds(2.2, scaling)).toMatchObject({ value: 554, probability: 0.0998 })
  })

  test.each([
    [2.5, 3],
    [2.4999, 2],
    [0.5, 1],
    [-0.5, -1],
    [-2.5, -3],
    [-2.4999, -2],
    [0.4, 0],
    [-0.4, 0],
    [-0, 0],
    [1_000_000, 1_000_000],
  ])('rounds %d points to %d, halves away from zero, and never to -0', (baseScore, value) => {
    expect(scoreLogOdds(0, { baseScore, baseOdds: 1 }).value).toBe(value) // by Object.is
  })

  test('rounds the probability from the exact log-odds, not from the score', () => {
    const [one, other] = [0.52, 0.95].map((logOdds) =>
      scoreLogOdds(logOdds, { baseScore: 0, baseOdds: 1, pointsToDoubleOdds: 1 }),
    )
    expect(one).toMatchObject({ value: 1, probability: 0.3729 }) // 1 / (1 + e^0.52) = 1 / 2.682028
    expect(other).toMatchObject({ value: 1, probability: 0.2789 }) // 1 / (1 + e^0.95) = 1 / 3.585710
  })

  test.each([
    [1_000, 0],
    [20, 0],
    [-20, 1],
    [-1_000, 1],
  ])('takes log-odds of %d to a probability of %d', (logOdds, probability) => {
    expect(scoreLogOdds(logOdds)).toMatchObject({ probability, value: expect.any(Number) })
  })

  test('gives any log-odds a whole score and a probability of at most 4 decimals from 0 to 1', () => {
    const lots = fc.oneof(
      fc.double({ min: -1_000, max: 1_000, noNaN: true }),
      fc.double({ min: -12, max: 12, noNaN: true }),
    )
    fc.assert(
      fc.property(lots, (logOdds) => {
        const { value, probability } = scoreLogOdds(logOdds)
        expect(value).toSatisfy(Number.isSafeInteger)
        expect(probability).toBeGreaterThanOrEqual(0)
        expect(probability).toBeLessThanOrEqual(1)
        expect(String(probability)).toMatch(/^[01](\.\d{1,4})?$|^0$/)
        expect(Math.abs((probability ?? 2) - 1 / (1 + Math.exp(logOdds)))).toBeLessThanOrEqual(
          0.00005 + 1e-12,
        )
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('the demonstration scorecards', () => {
  const cards = ['demo-mobile', 'demo-web'].map((name) => {
    const file = new URL(`../../scripts/scorecards/${name}.json`, import.meta.url)
    return Scorecard.parse(JSON.parse(readFileSync(file, 'utf8')))
  })

  test('say that they are demonstrations and where their numbers come from', () => {
    for (const { demonstration, name, description, source, bad } of cards) {
      expect(demonstration).toBe(true)
      expect(name).toContain('Demonstration')
      expect(description).toContain('must not decide')
      expect(source).toContain('No data')
      expect(source).toMatch(/Berg.*2020/)
      expect(bad).toContain('90 days')
    }
  })

  test('are one for each platform', () => {
    for (const platform of PLATFORMS)
      expect(cards.filter(({ platforms }) => platforms.includes(platform))).toHaveLength(1)
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
        const scored = score(card, features)
        if (scored.value === null) throw new Error(scored.reason)
        values.add(scored.value)
        expect(scored.contributions).toHaveLength(card.characteristics.length)
      }
    }
    expect(values.size).toBeGreaterThan(20)
    expect(Math.min(...values)).toBeGreaterThan(300)
    expect(Math.max(...values)).toBeLessThan(900)
  })

  test('score a capture that tells nothing', () => {
    for (const card of cards) expect(score(card, {}).value).not.toBeNull()
  })
})
