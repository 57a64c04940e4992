import { beforeEach, describe, expect, test } from 'vitest'
import { openProgress, type Progress } from '../../../worker/health/progress.ts'

const STUCK_MS = 90_000

class StoreUnavailable extends Error {}

let clockMs: number
let progress: Progress

beforeEach(() => {
  clockMs = 1_000_000
  progress = openProgress({
    stuckMs: STUCK_MS,
    isBrokenOff: (error) => error instanceof StoreUnavailable,
    now: () => clockMs,
  })
})

/** Advances time, with a check every 5 s that observes this. */
function pass(ms: number, waits: boolean | undefined): void {
  for (const endMs = clockMs + ms; clockMs < endMs; clockMs += 5_000) progress.observe(waits)
}

/** A job in flight that the test ends. */
function begin() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const job = progress.during(() => promise)
  return {
    async end() {
      resolve()
      await job
    },
    async fail(error: Error) {
      reject(error)
      await expect(job).rejects.toBe(error)
    },
  }
}

const aDay = 24 * 3_600_000

test('an idle process is never stuck', () => {
  pass(aDay, false)
  expect(progress.findStuck()).toBeUndefined()
})

test('tracked work returns its result or throws its error', async () => {
  expect(await progress.during(async () => 7)).toBe(7)
  const error = new Error('of the work')
  await expect(
    progress.during(async () => {
      throw error
    }),
  ).rejects.toBe(error)
})

describe('a job in flight', () => {
  test('that exceeds the limit is stuck until it ends, whatever checks observe', async () => {
    const job = begin()
    pass(STUCK_MS, false)
    expect(progress.findStuck()).toBeUndefined()
    clockMs += 1_000
    expect(progress.findStuck()).toEqual({ reason: 'a job has been in flight for too long', seconds: 91 })
    await job.end()
    expect(progress.findStuck()).toBeUndefined()
  })

  test('is stuck even while other jobs end', async () => {
    const stuck = begin()
    for (let ms = 0; ms < STUCK_MS; ms += 10_000) {
      const other = begin()
      pass(10_000, true)
      await other.end()
    }
    clockMs += 1
    expect(progress.findStuck()?.reason).toBe('a job has been in flight for too long')
    await stuck.end()
  })

  test('followed by another is not stuck, even over a day', async () => {
    for (let ms = 0; ms < aDay; ms += 60_000) {
      const job = begin()
      pass(60_000, true)
      await job.end()
      expect(progress.findStuck()).toBeUndefined()
    }
  })
})

describe('waiting work', () => {
  test('at every check for longer than the limit, while no job ends, is stuck', () => {
    pass(STUCK_MS, true)
    expect(progress.findStuck()).toBeUndefined()
    clockMs += 1_000
    expect(progress.findStuck()).toEqual({ reason: 'work waits and no job ends', seconds: 91 })
    progress.observe(false)
    expect(progress.findStuck()).toBeUndefined()
  })

  test('is not stuck if a check in between found none, or failed', () => {
    for (const seen of [false, undefined]) {
      pass(STUCK_MS, true)
      progress.observe(seen)
      pass(STUCK_MS, true)
      expect(progress.findStuck()).toBeUndefined()
      progress.observe(false)
    }
  })

  test('is stuck if a store failure aborts every started job, also between attempts', async () => {
    for (let ms = 0; ms <= STUCK_MS; ms += 20_000) {
      const job = begin()
      pass(15_000, true)
      await job.fail(new StoreUnavailable())
      pass(5_000, true)
    }
    expect(progress.findStuck()?.reason).toBe('work waits and no job ends')
    const job = begin()
    await job.end()
    expect(progress.findStuck()).toBeUndefined()
  })

  test('is not stuck if one dataset fails repeatedly', async () => {
    for (let ms = 0; ms < aDay; ms += 20_000) {
      const job = begin()
      await job.fail(new Error('of its own'))
      pass(20_000, true)
      expect(progress.findStuck()).toBeUndefined()
    }
  })
})
