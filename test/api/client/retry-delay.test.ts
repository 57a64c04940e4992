import { expect, test } from 'vitest'
import { retryDelay } from '../../../api/client/src/retry-delay.ts'

test('the delay is a random part of a time that doubles with each failure, from 1 to 30 seconds', () => {
  const longest = Array.from({ length: 7 }, (_, at) => retryDelay(at + 1, 0, 1))
  expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  expect(retryDelay(5, 0, 0)).toBe(0)
  const delays = Array.from({ length: 100 }, () => retryDelay(6))
  expect(new Set(delays).size).toBeGreaterThan(50)
})

test('the delay is the time of Retry-After and up to a quarter of it more', () => {
  expect([0, 1].map((random) => retryDelay(1, 8_000, random))).toEqual([8_000, 10_000])
})
