import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claimCollection } from '../../../db/collections/claim-collection.ts'
import type { OpenedCollection } from '../../../db/collections/open-collections.ts'
import { queryRows } from '../../../db/postgres/database.ts'
import { sql } from '../../../db/postgres/sql.ts'
import { openProducer, type QueueProducer } from '../../../db/queue/producer.ts'
import { closeCollections } from '../../../worker/maintenance/close-collections.ts'
import { collect } from '../../support/collections.ts'
import { claimRedisUrl } from '../../support/stores.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench
let producer: QueueProducer

beforeAll(async () => {
  bench = await openWorkbench()
  producer = openProducer({ database: { url: bench.url, poolMax: 1 }, redis: { url: await claimRedisUrl() } })
})
afterAll(async () => {
  await producer.close()
  await bench.close()
})

/** Makes a collection look as if it had been opened, and had sent its segments, so many minutes ago. */
async function age({ subscriptionId, id }: OpenedCollection, minutes: number): Promise<void> {
  const by = sql`make_interval(mins => ${minutes})`
  await queryRows(
    bench.db,
    sql`update collections set opened_at = opened_at - ${by}, due_at = due_at - ${by}
        where subscription_id = ${subscriptionId} and id = ${id}`,
  )
  await queryRows(
    bench.db,
    sql`update collection_segments set received_at = received_at - ${by}
        where subscription_id = ${subscriptionId} and collection_id = ${id}`,
  )
}

const close = () =>
  closeCollections({ db: bench.db, producer, log: pino({ level: 'silent' }) }, AbortSignal.timeout(10_000))

const find = async ({ subscriptionId, id }: OpenedCollection) =>
  (
    await queryRows<{ datasetId: number | null; waits: boolean }>(
      bench.db,
      sql`select dataset_id as "datasetId", due_at is not null as waits from collections
          where subscription_id = ${subscriptionId} and id = ${id}`,
    )
  )[0]

describe('a collection that its browser did not complete', () => {
  test('becomes a dataset 30 minutes after its last segment, and reports that it was abandoned', async () => {
    const collection = await collect(bench.db, bench.subscriptionId)
    await age(collection, 29)
    await close()
    expect(await find(collection)).toEqual({ datasetId: null, waits: true })
    await age(collection, 2)
    await close()
    const closed = await find(collection)
    expect(closed).toEqual({ datasetId: expect.any(Number), waits: false })
    const key = { subscriptionId: bench.subscriptionId, id: closed?.datasetId ?? 0 }
    await bench.process([key])
    expect((await bench.find(key)).status).toBe('ready')
  })

  test('is erased after 30 minutes without a segment', async () => {
    const collection = await collect(bench.db, bench.subscriptionId, { segments: [] })
    await age(collection, 31)
    await close()
    expect(await find(collection)).toBeUndefined()
  })

  test('and that nobody claimed is erased after 24 hours', async () => {
    const collection = await collect(bench.db, bench.subscriptionId, { level: 'claimed' })
    await age(collection, 23 * 60)
    await close()
    expect(await find(collection)).toEqual({ datasetId: null, waits: true })
    await age(collection, 61)
    await close()
    expect(await find(collection)).toBeUndefined()
  })

  test('and that was claimed after it was abandoned becomes a dataset at the next step', async () => {
    const collection = await collect(bench.db, bench.subscriptionId, { level: 'claimed' })
    await age(collection, 120)
    await close()
    const claim = await claimCollection(bench.db, collection, `CLAIM-${collection.id}`, {})
    expect(claim).toMatchObject({ outcome: 'claimed', uploadDate: null })
    await close()
    expect(await find(collection)).toEqual({ datasetId: expect.any(Number), waits: false })
  })

  test('is closed once by several workers at the same time', async () => {
    const collections = await Promise.all([1, 2, 3, 4].map(() => collect(bench.db, bench.subscriptionId)))
    for (const collection of collections) await age(collection, 40)
    await Promise.all([close(), close(), close()])
    const closed = await Promise.all(collections.map(find))
    expect(new Set(closed.map((one) => one?.datasetId)).size).toBe(4)
    const [counted] = await queryRows<{ abandoned: number }>(
      bench.db,
      sql`select sum(abandoned)::int as abandoned from site_key_days d join collections c using (subscription_id, site_key_id)
          where c.subscription_id = ${bench.subscriptionId} and c.id = any(${collections.map(({ id }) => id)}::bigint[])`,
    )
    expect(counted?.abandoned).toBe(4)
  })
})
