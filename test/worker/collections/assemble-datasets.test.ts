import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { completeCollections } from '../../../db/collections/complete-collections.ts'
import { deleteDatasets } from '../../../db/datasets/delete-datasets.ts'
import { listWaiting } from '../../../db/datasets/outbox.ts'
import { queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'
import { assembleDatasets } from '../../../worker/collections/assemble-datasets.ts'
import { anActor } from '../../support/actors.ts'
import { aSegment, collect, complete } from '../../support/collections.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

const countSegments = async () => {
  const [row] = await queryRows<{ segments: number }>(
    bench.db,
    sql`select count(*)::int as segments from collection_segments where subscription_id = ${bench.subscriptionId}`,
  )
  return row?.segments
}

const collected = async (deviceId?: string) =>
  complete(
    bench.db,
    await collect(bench.db, bench.subscriptionId, deviceId === undefined ? {} : { deviceId }),
    2,
  )

describe('a dataset that a browser collected', () => {
  test('is assembled, processed and counted like an uploaded one, and its segments are removed', async () => {
    const keys = [await collected('web_counted'), await collected('web_counted')]
    const uploaded = await bench.receive({})
    await bench.process([...keys, ...uploaded])
    const ends = await bench.list(keys)
    expect(ends.map(({ status, waiting, deviceId }) => [status, waiting, deviceId])).toEqual([
      ['ready', false, 'web_counted'],
      ['ready', false, 'web_counted'],
    ])
    expect(ends.map(({ velocity }) => velocity?.device?.datasets)).toEqual([1, 2])
    expect(await countSegments()).toBe(0)
    const [first] = keys
    if (!first) throw new Error('nothing was collected')
    expect((await bench.findInsight(first))?.features).toMatchObject({ behaviour_keys_count: 6 })
  })

  test('is assembled once by several workers at the same time', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => collected('web_raced')))
    await Promise.all([
      bench.process(keys),
      bench.process(keys.toReversed()),
      assembleDatasets(bench.db, keys),
    ])
    await bench.process(keys) // a delivery that came while another one assembled leaves the dataset to it
    const ends = await bench.list(keys)
    expect(ends.map(({ status }) => status)).toEqual(['ready', 'ready', 'ready'])
    expect(ends.map(({ velocity }) => velocity?.device?.datasets).toSorted()).toEqual([1, 2, 3])
  })

  test('keeps its blob when the worker ended between assembling and settling', async () => {
    const key = await collected()
    await assembleDatasets(bench.db, [key])
    const [waiting] = await listWaiting(bench.db, [key])
    expect(waiting?.blob?.length).toBeGreaterThan(100)
    expect(await countSegments()).toBe(0)
    await bench.process([key])
    expect((await bench.find(key)).status).toBe('ready')
  })

  test('is erased with its collection when it is deleted before it was assembled', async () => {
    const key = await collected()
    await bench.db.transaction((trx) => deleteDatasets(trx, [key], anActor('admin@lender.example')))
    await bench.process([key])
    expect((await bench.find(key)).status).toBe('deleted')
    expect(await countSegments()).toBe(0)
  })

  test('is not completed while a segment is missing', async () => {
    const collection = await collect(bench.db, bench.subscriptionId, { segments: [aSegment(0), aSegment(2)] })
    const [outcome] = await completeCollections(bench.db, [{ ...collection, announced: 3, address: null }])
    expect(outcome).toEqual({ outcome: 'missing', missing: [1] })
  })
})
