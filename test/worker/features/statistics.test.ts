import fc from 'fast-check'
import { expect, test } from 'vitest'
import { median, quantile } from '../../../worker/features/statistics.ts'

const anyNumber = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, min: -1e9, max: 1e9 }))

/** The definition, computed from the sorted list. */
function quantileBySorting(values: readonly number[], p: number): number | undefined {
  const inOrder = values.toSorted((a, b) => a - b)
  const position = (inOrder.length - 1) * p
  const [below, above] = [inOrder[Math.floor(position)], inOrder[Math.ceil(position)]]
  return below === undefined || above === undefined
    ? undefined
    : below + (position - Math.floor(position)) * (above - below)
}

test('a quantile equals that of the sorted values, in any order and with any number of ties', () => {
  fc.assert(
    fc.property(
      fc.array(anyNumber, { maxLength: 60 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
      (values, ps) => {
        const scratch = [...values]
        for (const p of [0, 0.25, 0.5, 0.75, 1, ...ps])
          expect((quantile(scratch, p) ?? Number.NaN) + 0).toBe(
            (quantileBySorting(values, p) ?? Number.NaN) + 0,
          )
      },
    ),
    { numRuns: 1_000 },
  )
})

test('a median needs the given number of values', () => {
  expect(median([3, 1], 3)).toBeUndefined()
  expect(median([3, 1, 2], 3)).toBe(2)
  expect(median([], 0)).toBeUndefined()
})

test.each([
  ['rising', (n: number) => n],
  ['falling', (n: number) => -n],
  ['all the same', () => 7],
  ['of organ pipes', (n: number) => Math.abs(n - 500_000)],
  ['of two values', (n: number) => n % 2],
])('the median of a million values, %s, is found quickly', (_, valueAt) => {
  const values = Array.from({ length: 1_000_000 }, (_, n) => valueAt(n))
  const expected = quantileBySorting(values, 0.5)
  const before = process.threadCpuUsage()
  expect(median(values, 1)).toBe(expected)
  const { user, system } = process.threadCpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(2_000)
})
