import { expect, test } from 'vitest'
import { retryDelay } from '../../../api/client/src/retry-delay.ts'

test('the longest delay doubles with each failure, from a quarter of a second to 10 seconds', () => {
  const longest = Array.from({ length: 8 }, (_, at) => retryDelay(at + 1, 0, 1))
  expect(longest).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000])
})

test('the delay is a random part of that time, after the time of Retry-After', () => {
  expect(retryDelay(5, 0, 0)).toBe(0)
  expect(retryDelay(1, 3_000, 0.5)).toBe(3_125)
  const delays = Array.from({ length: 100 }, () => retryDelay(6))
  expect(new Set(delays).size).toBeGreaterThan(50)
})
