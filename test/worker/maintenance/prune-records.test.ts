import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findTimeline } from '../../../db/datasets/timeline.ts'
import { pruneRecords } from '../../../worker/maintenance/prune-records.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

const prune = () =>
  pruneRecords(
    { db: bench.db, log: pino({ level: 'silent' }), days: { reads: 400, events: 400, feed: 30 } },
    new AbortController().signal,
  )

/** Records `reads` of a number, these days ago and in this order, and returns what is left of them after pruning. */
async function readsLeft(subscriptionId: number, ages: readonly number[]): Promise<number[]> {
  await bench.db.raw(
    `insert into insight_requests (subscription_id, reference_number, requested_at, requestor)
     select ?, 'unknown ' || days, now() - make_interval(days => days), 'key' from unnest(?::int[]) with ordinality as a (days, n)
     order by n`,
    [subscriptionId, [...ages]],
  )
  await prune()
  const rows = await bench.db('insight_requests').where({ subscription_id: subscriptionId }).orderBy('id')
  return rows.map(({ reference_number }) => Number(reference_number.split(' ')[1]))
}

test('records of reads go after 400 days, also those of unknown reference numbers', async () => {
  const subscriptionId = await bench.openSubscription()
  expect(await readsLeft(subscriptionId, [500, 401, 399, 1])).toEqual([399, 1])
  expect(await readsLeft(await bench.openSubscription(), [399])).toEqual([399])
})

test('old events leave the timeline of a dataset; young ones stay, and the walk begins again at its end', async () => {
  const subscriptionId = await bench.openSubscription()
  const [first, second] = await bench.receive({ subscriptionId }, { subscriptionId })
  if (!first || !second) throw new Error('Nothing was received')
  await bench.process([first, second])
  const age = async (id: number) => {
    await bench
      .db('dataset_events')
      .where({ subscription_id: subscriptionId, dataset_id: id })
      .update({ at: bench.db.raw("now() - interval '500 days'") })
    await bench
      .db('datasets')
      .where({ id })
      .update({ uploaded_at: bench.db.raw("now() - interval '501 days'") })
  }
  const eventsOf = async (id: number) => {
    const [{ reference_number }] = await bench.db('datasets').where({ id }).select('reference_number')
    const timeline = await findTimeline(bench.db, subscriptionId, reference_number)
    return timeline?.events.map(({ event }) => event)
  }
  const whole = await eventsOf(second.id)
  await age(first.id)
  await prune()
  expect(await eventsOf(first.id)).toEqual(['received'])
  expect(await eventsOf(second.id)).toEqual(whole)
  await age(second.id)
  await prune() // begins behind the last event, and starts over
  await prune()
  expect(await eventsOf(second.id)).toEqual(['received'])
})
