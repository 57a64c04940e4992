import { expect, test } from 'vitest'
import { retryDelay } from '../../../api/sdk/src/retry-delay.ts'

test('the delay doubles with each failure, from half a second to half a minute', () => {
  const delays = Array.from({ length: 9 }, (_, failures) => retryDelay(failures, 0, 0))
  expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
})

test('a random part of up to a half is taken off', () => {
  expect(retryDelay(2, 0, 1)).toBe(1_000)
  const delays = Array.from({ length: 100 }, () => retryDelay(4))
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(4_000)
  expect(Math.max(...delays)).toBeLessThanOrEqual(8_000)
  expect(new Set(delays).size).toBeGreaterThan(50)
})

test('Retry-After is the least', () => {
  expect(retryDelay(0, 60, 1)).toBeGreaterThanOrEqual(60_000)
})
