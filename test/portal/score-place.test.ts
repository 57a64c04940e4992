import { describe, expect, test } from 'vitest'
import { barsOf, shareBeyond } from '../../api/portal/pages/insight/scores/place.ts'
import { stepsOf } from '../../api/portal/pages/insight/scores/points-steps.ts'

const values = [
  { value: 500, datasets: 1 },
  { value: 520, datasets: 2 },
  { value: 600, datasets: 1 },
]

describe('the place of a score', () => {
  test('is the share of scores beyond it, its equals not counted', () => {
    expect(shareBeyond(values, 520, 'lower')).toBe(0.25)
    expect(shareBeyond(values, 520, 'higher')).toBe(0.25)
    expect(shareBeyond(values, 700, 'lower')).toBe(1)
    expect(shareBeyond([], 520, 'lower')).toBeUndefined()
  })

  test('is found by three digits, as scores are counted', () => {
    expect(shareBeyond([{ value: 12_300, datasets: 1 }], 12_345, 'lower')).toBe(0)
  })
})

describe('the bars of a histogram', () => {
  test('have one round width, hold every dataset, and reach to the score', () => {
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
  ])('are few whatever the scores: %j and %d', (some, own) => {
    const bars = barsOf(some, own, 32)
    expect(bars.length).toBeLessThanOrEqual(33)
    expect(bars.filter(({ from, to }) => own >= from && own < to)).toHaveLength(1)
  })
})

const characteristic = (name: string, points: number) => ({
  ...{ characteristic: name, input: 1, bin: 'a', points, baseline: null, reason: null },
})

describe('the steps of a waterfall', () => {
  test('lead from base to score, largest first, small ones together', () => {
    const characteristics = [3, -40, 0, 10, 2].map((points, at) => characteristic(`c${at}`, points))
    const steps = stepsOf({ base: 600, characteristics, unrounded: 575, logOdds: null }, 3)
    expect(steps).toMatchObject({ base: 600, total: 575, unit: 'points', idle: 1 })
    expect(
      steps?.steps.map(({ points, from, to, characteristics: many }) => [points, from, to, many]),
    ).toEqual([
      [-40, 600, 560, 1],
      [10, 560, 570, 1],
      [5, 570, 575, 2],
    ])
  })

  test('say what they add up to: the score, log-odds of bad, or what the model says', () => {
    const characteristics = [characteristic('a', 1.5)]
    const of = (unrounded: number | null, logOdds: number | null) =>
      stepsOf({ base: -3, characteristics, unrounded, logOdds }, 9)?.unit
    expect([of(-1.5, null), of(566, -1.5), of(566, 2)]).toEqual(['points', 'logOdds', 'other'])
    expect(stepsOf({ base: null, characteristics, unrounded: 1, logOdds: null }, 9)).toBeUndefined()
  })
})
