import { describe, expect, test } from 'vitest'
import { barsOf, percentileOf, percentileText } from '../../api/portal/pages/insight/scores/distribution.ts'
import { effectOf, gapOf, stepsOf } from '../../api/portal/pages/insight/scores/points-steps.ts'

const values = [
  { value: 500, datasets: 1 },
  { value: 520, datasets: 2 },
  { value: 600, datasets: 1 },
]

describe('the percentile of a score', () => {
  test('is the share of lower scores and half of the equal ones', () => {
    expect(percentileOf(values, 520)).toBe(50)
    expect(percentileOf(values, 500)).toBe(13)
    expect(percentileOf(values, 600)).toBe(88)
    expect(percentileOf([], 520)).toBeUndefined()
  })

  test('is never 0 or 100, and includes a score that is not counted yet', () => {
    const many = [
      { value: 500, datasets: 1 },
      { value: 510, datasets: 5_000 },
      { value: 520, datasets: 1 },
    ]
    expect(percentileOf(many, 500)).toBe(1)
    expect(percentileOf(many, 520)).toBe(99)
    expect(percentileOf(values, 700)).toBe(90)
    expect(percentileOf(values, 400)).toBe(10)
  })

  test('rounds the score to three digits, as the counts do', () => {
    expect(percentileOf([{ value: 12_300, datasets: 1 }], 12_345)).toBe(50)
  })

  test('has a label, or a message if there are too few scores', () => {
    expect(percentileText({ values: [{ value: 520, datasets: 40 }], scored: 40 }, 700)).toBe(
      '99th percentile, last 30 days',
    )
    expect(percentileText({ values, scored: 4 }, 520)).toBe(
      'Only 4 scores in the last 30 days, too few for a percentile',
    )
  })
})

describe('the bars of a histogram', () => {
  test('have one round width, contain every dataset, and include the score', () => {
    const bars = barsOf(values, 471, 30)
    expect(bars.map(({ from, to }) => to - from)).toEqual(bars.map(() => 5))
    expect(bars[0]?.from).toBe(470)
    expect(bars.reduce((sum, { datasets }) => sum + datasets, 0)).toBe(4)
    expect(bars.find(({ from }) => from === 520)?.datasets).toBe(2)
  })

  test.each([
    [[{ value: 0, datasets: 1 }], 0],
    [[{ value: -20, datasets: 3 }], 20],
    [
      [
        { value: -1e9, datasets: 1 },
        { value: 1e9, datasets: 1 },
      ],
      3,
    ],
  ])('are few for any scores: %j and %d', (some, own) => {
    const bars = barsOf(some, own, 32)
    expect(bars.length).toBeLessThanOrEqual(33)
    expect(bars.filter(({ from, to }) => own >= from && own < to)).toHaveLength(1)
  })

  test('are not compressed by outliers: one bar at each end contains all scores beyond', () => {
    const usual = Array.from({ length: 100 }, (_, at) => ({ value: 500 + at, datasets: 10 }))
    const bars = barsOf([{ value: -9_000, datasets: 1 }, ...usual, { value: 80_000, datasets: 2 }], 550, 32)
    const inner = bars.slice(1, -1)
    expect(inner).toHaveLength(20)
    expect(inner.every(({ from, to }) => from >= 500 && to <= 600)).toBe(true)
    expect(bars[0]).toEqual({ from: Number.NEGATIVE_INFINITY, to: inner[0]?.from, datasets: 1 })
    expect(bars.at(-1)).toEqual({ from: inner.at(-1)?.to, to: Number.POSITIVE_INFINITY, datasets: 2 })
    const ofOutlier = barsOf(usual, 80_000, 32)
    expect(ofOutlier.at(-1)).toEqual({
      ...{ from: ofOutlier.at(-2)?.to, to: Number.POSITIVE_INFINITY, datasets: 0 },
    })
  })

  test('all have finite bounds if there are no outliers', () => {
    const bars = barsOf(values, 471, 30)
    expect(bars.every(({ from, to }) => Number.isFinite(to - from))).toBe(true)
  })
})

const characteristic = (name: string, points: number, baseline: number | null = null) => ({
  ...{ characteristic: name, input: 1, bin: 'a', points, baseline, reason: null },
})

describe('the steps of a waterfall', () => {
  test('go from base to score, largest first, small ones combined', () => {
    const characteristics = [3, -40, 0, 10, 2].map((points, at) => characteristic(`c${at}`, points))
    const steps = stepsOf({ base: 600, characteristics, unrounded: 575, logOdds: null }, 3)
    expect(steps).toMatchObject({
      start: 600,
      total: 575,
      unit: 'points',
      withoutEffect: 1,
      hasBaselines: false,
    })
    expect(steps?.steps.map(({ gap, from, to, characteristics: many }) => [gap, from, to, many])).toEqual([
      [-40, 600, 560, 1],
      [10, 560, 570, 1],
      [5, 570, 575, 2],
    ])
  })

  test('go from the baseline to the score if there are baselines, by the gaps that rank the reasons', () => {
    const characteristics = [
      characteristic('contacts', 6, 20),
      characteristic('age', 12, 10),
      characteristic('locale', 5, 5),
      characteristic('other', 3),
    ]
    const steps = stepsOf({ base: 500, characteristics, unrounded: 526, logOdds: null }, 9)
    expect(steps).toMatchObject({
      start: 535,
      total: 526,
      unit: 'points',
      withoutEffect: 1,
      hasBaselines: true,
    })
    expect(steps?.steps.map(({ gap, from, to }) => [gap, from, to])).toEqual([
      [-14, 535, 521],
      [3, 521, 524],
      [2, 524, 526],
    ])
    const [contacts] = characteristics
    expect(contacts && effectOf(gapOf(contacts), 'points', 'higherIsBetter')).toBe('against')
  })

  test('have a unit: points, log-odds of bad, or another output of the model', () => {
    const characteristics = [characteristic('a', 1.5)]
    const unitOf = (unrounded: number | null, logOdds: number | null) =>
      stepsOf({ base: -3, characteristics, unrounded, logOdds }, 9)?.unit
    expect([unitOf(-1.5, null), unitOf(566, -1.5), unitOf(566, 2)]).toEqual(['points', 'logOdds', 'other'])
    expect(stepsOf({ base: null, characteristics, unrounded: 1, logOdds: null }, 9)).toBeUndefined()
  })
})
