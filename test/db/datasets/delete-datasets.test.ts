import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveAdditionalInfo } from '../../../db/datasets/additional-info.ts'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import { deleteDataset, deleteDatasets } from '../../../db/datasets/delete-datasets.ts'
import { receiveDatasets } from '../../../db/datasets/receive-datasets.ts'
import { requeueDatasets } from '../../../db/datasets/requeue-datasets.ts'
import { queryRows } from '../../../db/postgres/database.ts'
import { createRandom } from '../../../scripts/captures/random.ts'
import { anActor } from '../../support/actors.ts'
import { aCapture } from '../../support/captures.ts'
import { aStoredUpload, openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

const countInsights = async (keys: readonly DatasetKey[]) =>
  (
    await bench.db('insights').whereIn(
      'dataset_id',
      keys.map(({ id }) => id),
    )
  ).length

test('a worker that is processing the dataset is waited for, and leaves no insight behind', async () => {
  const [key] = (await bench.receive({})) as [DatasetKey]
  const { referenceNumber } = await bench.find(key)
  // delays the worker between its claim and its insight
  const holdUp = await bench.db.transaction()
  const untilBlocked = (statements: number) =>
    expect
      .poll(
        async () =>
          (
            await bench.db.raw(
              "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
            )
          ).rowCount,
        { timeout: 15_000 },
      )
      .toBe(statements)
  let processing: Promise<void> | undefined
  let deleting: ReturnType<typeof deleteDataset> | undefined
  try {
    await holdUp.raw('lock table insights in exclusive mode')
    processing = bench.process([key])
    await untilBlocked(1)
    deleting = deleteDataset(bench.db, key.subscriptionId, referenceNumber, anActor('me'))
    await untilBlocked(2)
  } finally {
    await holdUp.commit()
  }
  await processing
  expect(await deleting).toBe('deleted')
  expect(await bench.find(key)).toMatchObject({
    status: 'deleted',
    velocity: null,
    deviceId: null,
    waiting: false,
  })
  expect(await countInsights([key])).toBe(0)
})

test('with concurrent uploads, info, reprocessing and workers, deleted datasets stay deleted and counts stay exact', async () => {
  const random = createRandom('deletion')
  const subscriptionId = await bench.openSubscription()
  const uploads = Array.from({ length: 60 }, () => aStoredUpload(subscriptionId))
  const keys = (await receiveDatasets(bench.db, uploads)).map((receipt) => {
    if (receipt.outcome !== 'received') throw new Error(receipt.outcome)
    return { subscriptionId, id: receipt.key.id }
  })
  const doomed = keys.filter((_, n) => n % 3 === 0)
  const pause = () => delay(random.int(0, 30))
  await Promise.all([
    ...Array.from({ length: 6 }, async () => {
      await pause()
      await bench.process(keys.toSorted(() => random.float(-1, 1)).slice(0, 30))
    }),
    ...uploads.map(async (upload) => {
      await pause()
      const { outcome } = await saveAdditionalInfo(
        bench.db,
        subscriptionId,
        upload.referenceNumber,
        { clientId: 'C' },
        anActor('k'),
      )
      expect(['saved', 'deleted']).toContain(outcome)
    }),
    ...uploads.map(async (upload) => {
      await pause()
      const [receipt] = await receiveDatasets(bench.db, [upload])
      expect(['repeated', 'deleted']).toContain(receipt?.outcome)
    }),
    ...doomed.map(async (key) => {
      await pause()
      expect(await deleteDatasets(bench.db, [key], anActor('me'))).toEqual([key])
    }),
    (async () => {
      await pause()
      await requeueDatasets(bench.db, keys, anActor('me'))
    })(),
  ])
  await bench.process(keys)

  const ends = await bench.list(keys)
  expect(ends.filter(({ status }) => status === 'deleted').map(({ id }) => id)).toEqual(
    doomed.map(({ id }) => id),
  )
  expect(ends.filter(({ waiting }) => waiting)).toEqual([])
  expect(await countInsights(doomed)).toBe(0)
  expect(await countInsights(keys)).toBe(keys.length - doomed.length)
  // each dataset counted before its deletion has taken a place; the others have the rest
  const [device] = await queryRows<{ datasets: number }>(
    bench.db,
    'select datasets from devices where subscription_id = ?',
    [subscriptionId],
  )
  const places = ends.flatMap(({ velocity }) => velocity?.device?.datasets ?? [])
  expect(new Set(places).size).toBe(keys.length - doomed.length)
  expect(Math.max(...places)).toBeLessThanOrEqual(device?.datasets ?? 0)
  expect(device?.datasets).toBeLessThanOrEqual(keys.length)
  const events = await bench.db('dataset_events').where({ subscription_id: subscriptionId, event: 'deleted' })
  expect(events.map(({ dataset_id }) => dataset_id).toSorted((a, b) => a - b)).toEqual(
    doomed.map(({ id }) => id),
  )
})

test('the next dataset of a device of a deleted one has the next place', async () => {
  const subscriptionId = await bench.openSubscription()
  const capture = aCapture({ device: { id: 'again' } })
  const keys = await bench.receive(...Array(3).fill({ subscriptionId, capture }))
  await bench.process(keys)
  await deleteDatasets(bench.db, keys, anActor('me'))
  expect(await deleteDatasets(bench.db, keys, anActor('me'))).toEqual([])
  const [next] = (await bench.receive({ subscriptionId, capture })) as [DatasetKey]
  await bench.process([next])
  expect((await bench.find(next)).velocity?.device?.datasets).toBe(4)
})
