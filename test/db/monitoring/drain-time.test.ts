import { afterAll, beforeAll, expect, test } from 'vitest'
import { measureBacklog } from '../../../db/datasets/backlog.ts'
import {
  baselineOf,
  measureDrain,
  openDrainScan,
  rateSince,
  type SettledSample,
  secondsToDrain,
} from '../../../db/monitoring/drain-time.ts'
import { addPipelineCounts } from '../../../db/monitoring/pipeline-counts.ts'
import { queryRows } from '../../../db/postgres/database.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

const MINUTE_MS = 60_000

/** A count of minutes, numbered, at a second. */
const sample = (seconds: number, minutes: Record<number, number>): SettledSample => ({
  at: seconds * 1_000,
  minutes: Object.fromEntries(
    Object.entries(minutes).map(([minute, settled]) => [Number(minute) * MINUTE_MS, settled]),
  ),
})

test.each([
  [
    'a process that just started: the previous minute and the unfinished one',
    630,
    { 8: 999, 9: 600, 10: 300 },
    [],
    10,
  ],
  ['the first second of a minute', 600, { 9: 600 }, [], 10],
  ['nothing settled', 630, {}, [], 0],
  [
    'a burst, 15 s after it began',
    630,
    { 9: 60, 10: 150 },
    [sample(600, { 9: 60 }), sample(615, { 9: 60, 10: 15 })],
    9,
  ],
  ['across the end of a minute', 605, { 9: 660, 10: 30 }, [sample(590, { 9: 600 })], 6],
  ['a sample that is too young', 630, { 9: 600, 10: 300 }, [sample(620, { 9: 600, 10: 100 })], 10],
  ['a sample that is too old', 630, { 9: 600, 10: 300 }, [sample(400, { 6: 1 })], 10],
])('the rate of %s', (_, seconds, minutes, samples, rate) => {
  const now = sample(seconds, minutes)
  expect(rateSince(baselineOf(samples, now), now)).toBeCloseTo(rate)
})

test('nothing drains in 0 s, and never while nothing is settled', () => {
  expect([secondsToDrain(0, 0), secondsToDrain(30, 10), secondsToDrain(1, 0)]).toEqual([0, 3, null])
})

test('the datasets of all subscriptions are divided by the rate of all workers', async () => {
  const [first, second] = [await bench.openSubscription(), await bench.openSubscription()]
  await queryRows(
    bench.db,
    `insert into datasets (subscription_id, reference_number, data_hash, blob, uploaded_at, ring_at)
     select s.ids[1 + n % 2], gen_random_uuid(), '', '', now() - interval '40 s', now() + interval '15 s'
     from generate_series(1, 240) n, (values (?::integer[])) s (ids)`,
    [[first, second]],
  )
  const [clock] = await queryRows<{ now: number }>(
    bench.db,
    'select extract(epoch from now())::float * 1000 as now',
  )
  const minute = (before: number) => (Math.floor((clock?.now ?? 0) / MINUTE_MS) - before) * MINUTE_MS
  const none = { uploads: 0, latencies: {} }
  await addPipelineCounts(bench.db, [
    {
      ...none,
      subscriptionId: first,
      minute: minute(1),
      ready: 500,
      invalid: { not_gzip: 40, not_json: 20 },
    },
    { ...none, subscriptionId: second, minute: minute(0), ready: 300, invalid: {} },
    { ...none, subscriptionId: second, minute: minute(5), ready: 9_000, invalid: {} },
  ])
  const scan = openDrainScan()
  const drain = await measureDrain(bench.db, scan)
  expect(drain.datasets).toBe(240)
  expect(drain.oldestSeconds).toBeCloseTo(40, -1)
  // 860 datasets in a minute and the part of the next that has passed
  expect(drain.settledPerSecond).toBeGreaterThan(860 / 121)
  expect(drain.settledPerSecond).toBeLessThan(860 / 59)
  expect(drain.secondsToDrain).toBeCloseTo(240 / drain.settledPerSecond)
  expect((await measureBacklog(bench.db, 100)).datasets).toBe(100)
  await measureDrain(bench.db, scan)
  expect(scan.samples).toHaveLength(1) // the second was less than 5 s later
})
