import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startRequestTimeout } from '../../api/http/request-timeout.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const workOf = (ms: number) => new Promise<string>((resolve) => setTimeout(resolve, ms, 'done'))

/** Expects this outcome, as a result or as the code of a problem, after so much time and not before. */
async function expectUntil(work: Promise<string>, expected: string, ms: number): Promise<void> {
  let outcome: string | undefined
  work.then(
    (result) => {
      outcome = result
    },
    (error: { code: string }) => {
      outcome = error.code
    },
  )
  await vi.advanceTimersByTimeAsync(ms - 1)
  expect(outcome).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(outcome).toBe(expected)
}

test('work has 10 s', async () => {
  await expectUntil(startRequestTimeout()(workOf(60_000)), 'unavailable', 10_000)
  await expectUntil(startRequestTimeout()(workOf(9_999)), 'done', 9_999)
})

test('all work of a request has 10 s together, to half a second', async () => {
  const withinTimeout = startRequestTimeout()
  await expectUntil(withinTimeout(workOf(6_200)), 'done', 6_200)
  await expectUntil(withinTimeout(workOf(60_000)), 'unavailable', 4_000)
})

test('intentional waiting extends the timeout, once', async () => {
  const withinTimeout = startRequestTimeout()
  await expectUntil(withinTimeout(workOf(60_000), 5_000), 'unavailable', 15_000)
})
