import { describe, expect, test } from 'vitest'
import { countByCuts, markOf, quantileCuts, stabilityIndex } from '../../../worker/scoring/stability.ts'

describe('the stability index', () => {
  test('is Σ (actual − expected) ln(actual ÷ expected), for counts and for shares', () => {
    // 0.1 ln 1.2 + (−0.1) ln 0.8 = 0.0182322 + 0.0223144
    expect(stabilityIndex([0.5, 0.5], [0.6, 0.4])).toBeCloseTo(0.0405465, 7)
    expect(stabilityIndex([500, 500], [60, 40])).toBeCloseTo(0.0405465, 7)
    // 0.2 ln 3 + 0 − 0.2 ln (0.3/0.5) = 0.2197225 + 0.1021651
    expect(stabilityIndex([0.1, 0.4, 0.5], [0.3, 0.4, 0.3])).toBeCloseTo(0.3218876, 7)
  })

  test('is 0 for equal distributions, and large but finite with an empty bin', () => {
    expect(stabilityIndex([3, 5, 9], [30, 50, 90])).toBeCloseTo(0, 12)
    // (0.5 − 0.0001) ln 5000 + (0.5 − 1) ln 0.5
    expect(stabilityIndex([0, 1], [0.5, 0.5])).toBeCloseTo(0.4999 * Math.log(5_000) + 0.5 * Math.LN2, 9)
  })

  test('is NaN without data', () => {
    expect(stabilityIndex([0, 0], [1, 1])).toBeNaN()
    expect(stabilityIndex([1, 1], [0, 0])).toBeNaN()
  })

  test.each([
    [0.0999, 'stable'],
    [0.1, 'shifting'],
    [0.2499, 'shifting'],
    [0.25, 'shifted'],
  ])('%d is %s', (index, mark) => {
    expect(markOf(index)).toBe(mark)
  })
})

test('quantiles form bins of about the same size, fewer if values repeat', () => {
  const values = Array.from({ length: 1_000 }, (_, n) => n)
  const cuts = quantileCuts(values, 10)
  expect(cuts).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900])
  expect(countByCuts(values, cuts)).toEqual(new Array(10).fill(100))
  expect(quantileCuts([5, 5, 5, 5], 10)).toEqual([])
  expect(quantileCuts([1, 1, 1, 1, 1, 2], 10)).toEqual([2])
  expect(quantileCuts([], 10)).toEqual([])
})

test('values at a cut belong to the bin above; pairs count several values at once', () => {
  expect(countByCuts([9, 10, 11, 20], [10, 20])).toEqual([1, 2, 1])
  expect(
    countByCuts(
      [
        [5, 3],
        [10, 4],
      ],
      [10],
    ),
  ).toEqual([3, 4])
})
