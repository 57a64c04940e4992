import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveAdditionalInfo } from '../../../db/datasets/additional-info.ts'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import { requestInsights } from '../../../db/datasets/insights.ts'
import { requeueDatasets } from '../../../db/datasets/requeue-datasets.ts'
import { findTimeline } from '../../../db/datasets/timeline.ts'
import { processBatch } from '../../../worker/batches/process-batch.ts'
import { anActor } from '../../support/actors.ts'
import { type DatasetMembers, openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

async function receiveOne(members: DatasetMembers = {}): Promise<DatasetKey & { referenceNumber: string }> {
  const [key] = (await bench.receive(members)) as [DatasetKey]
  return { ...key, referenceNumber: (await bench.find(key)).referenceNumber }
}

async function timelineOf({
  subscriptionId,
  referenceNumber,
}: {
  subscriptionId: number
  referenceNumber: string
}) {
  const timeline = await findTimeline(bench.db, subscriptionId, referenceNumber)
  if (!timeline) throw new Error('there is no timeline')
  return timeline
}

const eventsOf = async (dataset: { subscriptionId: number; referenceNumber: string }) =>
  (await timelineOf(dataset)).events.map(({ event }) => event)

const read = (dataset: { subscriptionId: number; referenceNumber: string }, times: number) =>
  requestInsights(
    bench.db,
    Array.from({ length: times }, (_, n) => ({
      subscriptionId: dataset.subscriptionId,
      referenceNumber: dataset.referenceNumber,
      requestor: { ...anActor(`reader ${n}`), address: '203.0.113.9' },
      waitedSeconds: 0,
      last: true,
      explained: false,
    })),
  )

test('a waiting dataset shows how often it was enqueued again, and when it will be next', async () => {
  const dataset = await receiveOne()
  await bench.db.raw('update datasets set rings = 3 where id = ?', [dataset.id])
  expect(await timelineOf(dataset)).toEqual({
    referenceNumber: dataset.referenceNumber,
    status: 'received',
    waiting: { rings: 3, ringAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}$/) },
    events: [
      {
        at: expect.any(String),
        event: 'received',
        actor: null,
        actorKind: null,
        actorId: null,
        detail: null,
      },
    ],
    truncated: false,
  })
})

test('every processing is enqueued, claimed and settled, in this order whatever the clocks show', async () => {
  const dataset = await receiveOne()
  await processBatch(bench.context, [dataset], new Date(Date.now() - 3_600_000))
  await saveAdditionalInfo(
    bench.db,
    dataset.subscriptionId,
    dataset.referenceNumber,
    { a: '1', b: '2' },
    anActor('backend'),
  )
  await saveAdditionalInfo(
    bench.db,
    dataset.subscriptionId,
    dataset.referenceNumber,
    { a: '1' },
    anActor('backend'),
  )
  await processBatch(bench.context, [dataset], new Date(Date.now() + 3_600_000))
  await requeueDatasets(bench.db, [dataset], anActor('operator me'))
  await processBatch(bench.context, [dataset])
  await processBatch(bench.context, [dataset]) // a second delivery finds nothing and adds no event
  const { events, waiting } = await timelineOf(dataset)
  expect(waiting).toBeNull()
  expect(events.map(({ event }) => event)).toEqual(
    'received rung claimed ready info_saved rung claimed recalculated reprocess_requested claimed recalculated'.split(
      ' ',
    ),
  )
  expect(events.find(({ event }) => event === 'info_saved')).toMatchObject({
    actor: 'backend',
    detail: { keys: ['a', 'b'] },
  })
  expect(events.find(({ event }) => event === 'reprocess_requested')?.actor).toBe('operator me')
})

test('an invalid dataset keeps each error, also when it becomes ready later', async () => {
  const dataset = await receiveOne({ blob: Buffer.from('broken') })
  await bench.process([dataset])
  const invalid = (await timelineOf(dataset)).events.at(-1)
  expect(invalid).toMatchObject({
    event: 'invalid',
    detail: { code: 'not_gzip', detail: expect.any(String) },
  })
  const good = await receiveOne()
  await bench.db.raw('update datasets set blob = (select blob from datasets where id = ?) where id = ?', [
    good.id,
    dataset.id,
  ])
  await requeueDatasets(bench.db, [dataset], anActor('me'))
  await bench.process([dataset])
  expect((await eventsOf(dataset)).filter((event) => event !== 'claimed')).toEqual([
    'received',
    'invalid',
    'reprocess_requested',
    'ready',
  ])
  expect((await timelineOf(dataset)).events).toContainEqual(invalid)
})

test('the newest entries and reads are listed, however many there are', async () => {
  const dataset = await receiveOne()
  await bench.process([dataset])
  await read(dataset, 300)
  expect((await timelineOf(dataset)).truncated).toBe(false)
  await read(dataset, 50)
  const { events, truncated } = await timelineOf(dataset)
  expect(truncated).toBe(true)
  expect(events.slice(0, 3).map(({ event }) => event)).toEqual(['received', 'claimed', 'ready'])
  expect(events.filter(({ event }) => event === 'read')).toHaveLength(300)
  expect(events.at(-1)).toMatchObject({
    event: 'read',
    actor: 'reader 49',
    detail: { address: '203.0.113.9' },
  })
})

test('another subscription does not find it', async () => {
  const dataset = await receiveOne()
  expect(
    await findTimeline(bench.db, await bench.openSubscription(), dataset.referenceNumber),
  ).toBeUndefined()
  expect(await findTimeline(bench.db, dataset.subscriptionId, 'nobody')).toBeUndefined()
})
