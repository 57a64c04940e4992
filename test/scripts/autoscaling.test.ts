import { describe, expect, test } from 'vitest'
import { listArrivals, loadAt } from '../../scripts/autoscaling/day.ts'
import { type Observation, RULES, type RuleName } from '../../scripts/autoscaling/rules.ts'
import { scaled } from '../../scripts/autoscaling/simulation-plan.ts'
import { openStabiliser } from '../../scripts/autoscaling/stabilise.ts'
import { chooseRule, type RuleSummary } from '../../scripts/autoscaling/summarise-days.ts'

const idle: Observation = { hour: 12, running: 2, datasetsWaiting: 0, oldestSeconds: 0, waitSeconds: 0 }

test.each<[RuleName, string, Partial<Observation>, number]>([
  ['schedule', 'in the busy hours', { hour: 8 }, 4],
  ['schedule', 'at night', { hour: 23 }, 1],
  ['queue-size', 'without a queue', {}, 0],
  ['queue-size', 'with the work of 60 s', { datasetsWaiting: scaled(60) * 11 }, 2],
  ['queue-size', 'with a dataset more', { datasetsWaiting: scaled(60) * 11 + 1 }, 3],
  ['age', 'with an age of 15 s', { oldestSeconds: scaled(15) }, 1],
  ['age', 'with an age of 46 s', { oldestSeconds: scaled(46) }, 4],
  ['drain', 'while nothing waits', {}, 0],
  ['drain', 'at its target', { waitSeconds: scaled(30) }, 2],
  ['drain', 'a little above its target', { waitSeconds: scaled(32.5) }, 2],
  ['drain', 'at one and a half times its target', { waitSeconds: scaled(45) }, 3],
  ['drain', 'at half of its target', { waitSeconds: scaled(15) }, 1],
  ['drain', 'far above it', { waitSeconds: scaled(300) }, 20],
  ['drain', 'while the first worker starts', { running: 0, waitSeconds: scaled(300) }, 0],
])('the rule %s, %s', (name, _, seen, desired) => {
  expect(RULES[name].desire({ ...idle, ...seen })).toBe(desired)
})

describe('the number of workers', () => {
  const open = () => openStabiliser({ min: 1, max: 4, holdMs: 300, stepMs: 60 })

  test('rises at once, up to the maximum', () => {
    const stabilise = open()
    expect([stabilise(10, 0), stabilise(20, 3), stabilise(30, 99)]).toEqual([1, 3, 4])
  })

  test('falls one by one, once no higher number was desired for the hold', () => {
    const stabilise = open()
    stabilise(0, 4)
    expect([100, 299, 300, 359, 360, 420, 480].map((at) => stabilise(at, 0))).toEqual([4, 4, 3, 3, 2, 1, 1])
  })

  test('stays while a burst returns within the hold', () => {
    const stabilise = open()
    stabilise(0, 3)
    expect([200, 299, 400, 598, 599].map((at) => stabilise(at, at === 299 ? 3 : 0))).toEqual([3, 3, 3, 3, 2])
  })
})

test('the same seed gives the same day, with its bursts', () => {
  const [day, same, other] = ['a', 'a', 'b'].map((seed) => listArrivals(seed, 60_000))
  expect(day).toEqual(same)
  expect(day).not.toEqual(other)
  expect(day).toEqual(day?.toSorted((a, b) => a - b))
  const count = (from: number, to: number) =>
    day?.filter((at) => at >= (from / 24) * 60_000 && at < (to / 24) * 60_000).length ?? 0
  expect(count(3, 4)).toBeGreaterThan(100)
  expect(count(1, 2)).toBeLessThan(20)
  expect([loadAt(0), loadAt(10), loadAt(24)].map((load) => load.toFixed(2))).toEqual(['0.20', '1.70', '0.20'])
})

test('the chosen rule is the cheapest of those that settled 99 % in time', () => {
  const one = (rule: RuleName, inTime: number, workerHours: number): RuleSummary => ({
    ...{ rule, inTime, workerHours, datasets: 1, p50Seconds: 1, p99Seconds: 1, maxSeconds: 1 },
    ...{ workersStarted: 1, maxWaitSeconds: 1 },
  })
  const rules = [one('schedule', 1, 60), one('drain', 0.993, 40), one('age', 0.98, 30)]
  expect(chooseRule(rules)?.rule).toBe('drain')
  expect(chooseRule(rules.slice(2))).toBeUndefined()
})
