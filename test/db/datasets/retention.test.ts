import { setTimeout as delay } from 'node:timers/promises'
import type { Knex } from 'knex'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveAdditionalInfo } from '../../../db/datasets/additional-info.ts'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import {
  changeRetention,
  expireBlobs,
  expireDatasets,
  findGrace,
  findRetention,
} from '../../../db/datasets/retention.ts'
import { findTimeline } from '../../../db/datasets/timeline.ts'
import { openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { enforceRetention } from '../../../worker/maintenance/enforce-retention.ts'
import { anActor } from '../../support/actors.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

const INDEFINITE = { days: null, blobDays: null }

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

/** Datasets of a separate subscription, with these ages in days. */
async function receiveOfAges(ages: readonly number[], processed = true) {
  const subscriptionId = await bench.openSubscription()
  const keys = await bench.receive(...ages.map((age) => ({ subscriptionId, uploadedAt: daysAgo(age) })))
  if (processed) await bench.process(keys)
  return { subscriptionId, keys }
}

const enforce = () => enforceRetention(bench.context, new AbortController().signal)

const statusesOf = async (keys: readonly DatasetKey[]) => (await bench.list(keys)).map(({ status }) => status)

const haveBlob = async (keys: readonly DatasetKey[]): Promise<boolean[]> =>
  (
    await queryRows<{ whole: boolean }>(
      bench.db,
      'select blob is not null as whole from datasets where id = any(?) order by id',
      [keys.map(({ id }) => id)],
    )
  ).map(({ whole }) => whole)

const listAudit = (subscriptionId: number) =>
  bench
    .db('audit_events')
    .where({ subscription_id: subscriptionId })
    .orderBy('id')
    .select('actor', 'action', 'detail')

test('captures are stored for two years by default, and insights indefinitely', async () => {
  const { subscriptionId, keys } = await receiveOfAges([10_000, 731, 729, 1])
  expect(await findRetention(bench.db, subscriptionId)).toEqual({ days: null, blobDays: 730 })
  await enforce()
  expect(await statusesOf(keys)).toEqual(['ready', 'ready', 'ready', 'ready'])
  expect(await haveBlob(keys)).toEqual([false, false, true, true])

  expect(await changeRetention(bench.db, subscriptionId, { days: 30 })).toEqual({ days: 30, blobDays: 730 })
  expect(await changeRetention(bench.db, subscriptionId, { blobDays: 7 })).toEqual({ days: 30, blobDays: 7 })
  expect(await changeRetention(bench.db, subscriptionId, { days: null })).toEqual({ days: null, blobDays: 7 })
  expect(await findRetention(bench.db, subscriptionId)).toEqual({ days: null, blobDays: 7 })
})

test('a subscription stores everything indefinitely if it says so', async () => {
  const { subscriptionId, keys } = await receiveOfAges([10_000, 1])
  expect(await changeRetention(bench.db, subscriptionId, { blobDays: null })).toEqual(INDEFINITE)
  await enforce()
  expect(await statusesOf(keys)).toEqual(['ready', 'ready'])
  expect(await haveBlob(keys)).toEqual([true, true])
})

test('a subscription that is older than the default has 30 days to choose otherwise', async () => {
  const { subscriptionId, keys } = await receiveOfAges([10_000])
  const policies = bench.db('retention_policies').where({ subscription_id: subscriptionId })
  await policies.clone().delete()
  await enforce()
  expect(await haveBlob(keys)).toEqual([true])
  expect(await findRetention(bench.db, subscriptionId)).toEqual({ days: null, blobDays: 730 })
  const until = Date.parse(`${await findGrace(bench.db, subscriptionId)}Z`) - Date.now()
  expect(until / 86_400_000).toBeCloseTo(30, 1)

  const other = await receiveOfAges([10_000])
  await bench.db('retention_policies').where({ subscription_id: other.subscriptionId }).delete()
  await enforce()
  await changeRetention(bench.db, other.subscriptionId, { blobDays: null })
  await bench.db.raw('update retention_policies set blobs_from = now() where blobs_from is not null')
  await enforce()
  expect(await haveBlob(keys)).toEqual([false])
  expect(await haveBlob(other.keys)).toEqual([true])
  expect(await findGrace(bench.db, subscriptionId)).toBeNull()
})

test('datasets past their retention are deleted in steps, with one audit record for each', async () => {
  const { subscriptionId, keys } = await receiveOfAges([40, 35, 31, 29, 1])
  const untouched = await receiveOfAges([40])
  await changeRetention(bench.db, subscriptionId, { days: 30 })
  expect(await expireDatasets(bench.db, subscriptionId, 2)).toBe(2)
  expect(await statusesOf(keys)).toEqual(['deleted', 'deleted', 'ready', 'ready', 'ready'])
  expect(await expireDatasets(bench.db, subscriptionId, 2)).toBe(1)
  expect(await expireDatasets(bench.db, subscriptionId, 2)).toBe(0)
  expect(await statusesOf(keys)).toEqual(['deleted', 'deleted', 'deleted', 'ready', 'ready'])
  expect(await statusesOf(untouched.keys)).toEqual(['ready'])
  expect(await listAudit(subscriptionId)).toEqual([
    { actor: 'retention', action: 'retention.datasets', detail: { datasets: 2, days: 30 } },
    { actor: 'retention', action: 'retention.datasets', detail: { datasets: 1, days: 30 } },
  ])
  const { referenceNumber } = await bench.find(keys[0] as DatasetKey)
  const timeline = await findTimeline(bench.db, subscriptionId, referenceNumber)
  expect(timeline?.events.at(-1)).toMatchObject({ event: 'deleted', actor: 'retention' })

  await bench.db.raw("update datasets set uploaded_at = now() - interval '30 days 1 second' where id = ?", [
    keys[3]?.id ?? null,
  ])
  await enforce()
  expect((await statusesOf(keys)).slice(3)).toEqual(['deleted', 'ready'])
})

test('datasets that were never processed are deleted as well', async () => {
  const { subscriptionId, keys } = await receiveOfAges([3, 1], false)
  await changeRetention(bench.db, subscriptionId, { days: 2 })
  await enforce()
  expect(await statusesOf(keys)).toEqual(['deleted', 'received'])
  await bench.process(keys)
  expect(await statusesOf(keys)).toEqual(['deleted', 'ready'])
})

describe('data with a shorter retention', () => {
  test('is removed, and the insight stays and reflects info saved later', async () => {
    const { subscriptionId, keys } = await receiveOfAges([9, 8, 1])
    const before = await Promise.all(keys.map(bench.findInsight))
    await changeRetention(bench.db, subscriptionId, { blobDays: 7 })
    await enforce()
    expect(await haveBlob(keys)).toEqual([false, false, true])
    expect(await Promise.all(keys.map(bench.findInsight))).toEqual(before)
    expect(await listAudit(subscriptionId)).toEqual([
      { actor: 'retention', action: 'retention.data', detail: { datasets: 2, days: 7 } },
    ])
    const { referenceNumber } = await bench.find(keys[0] as DatasetKey)
    await saveAdditionalInfo(
      bench.db,
      subscriptionId,
      referenceNumber,
      { clientId: 'late' },
      anActor('backend'),
    )
    await bench.process(keys)
    expect((await bench.find(keys[0] as DatasetKey)).velocity?.client).toMatchObject({
      id: 'late',
      datasets: 1,
    })
    const timeline = await findTimeline(bench.db, subscriptionId, referenceNumber)
    expect(timeline?.events.map(({ event }) => event).filter((event) => event !== 'claimed')).toEqual([
      'received',
      'ready',
      'data_removed',
      'info_saved',
      'recalculated',
    ])
  })

  test('stays while its dataset waits to be processed, and is removed by the next step after that', async () => {
    const { subscriptionId, keys } = await receiveOfAges([9, 8, 8], false)
    await bench.process(keys.slice(2))
    await changeRetention(bench.db, subscriptionId, { blobDays: 7 })
    await enforce()
    expect(await haveBlob(keys)).toEqual([true, true, false])
    await enforce()
    await bench.process(keys.slice(0, 1))
    await enforce()
    expect(await haveBlob(keys)).toEqual([false, true, false])
    await bench.process(keys)
    await enforce()
    expect(await haveBlob(keys)).toEqual([false, false, false])
    expect(await statusesOf(keys)).toEqual(['ready', 'ready', 'ready'])
  })
})

test('several concurrent workers delete each dataset once, while others are processed', async () => {
  const { subscriptionId, keys } = await receiveOfAges(Array(60).fill(5), false)
  await bench.process(keys.slice(0, 30))
  await changeRetention(bench.db, subscriptionId, { days: 4, blobDays: 2 })
  const worker = async () => {
    let dealtWith = 0
    for (let idle = 0; idle < 3; ) {
      const datasets = await expireDatasets(bench.db, subscriptionId, 7)
      await expireBlobs(bench.db, subscriptionId, 5)
      dealtWith += datasets
      idle = datasets === 0 ? idle + 1 : 0
      if (datasets === 0) await delay(100) // datasets in processing are skipped and left to a later step
    }
    return dealtWith
  }
  const dealtWith = await Promise.all([worker(), worker(), worker(), worker(), bench.process(keys)])
  expect(dealtWith.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBe(60)
  expect(new Set(await statusesOf(keys))).toEqual(new Set(['deleted']))
  const audit = await listAudit(subscriptionId)
  const deleted = audit.filter(({ action }) => action === 'retention.datasets')
  expect(deleted.reduce((sum, { detail }) => sum + detail.datasets, 0)).toBe(60)
  expect(
    await bench.db('insights').whereIn(
      'dataset_id',
      keys.map(({ id }) => id),
    ),
  ).toEqual([])
})

test('a step reads a range of the primary key, however many datasets and tombstones there are', async () => {
  const subscriptionId = await bench.openSubscription()
  await bench.db.raw(
    `insert into datasets (subscription_id, reference_number, data_hash, blob, status, uploaded_at)
     select ?, 'many ' || n, '', 'x', 'ready', now() - make_interval(days => 200, secs => -n)
     from generate_series(1, 200000) n`,
    [subscriptionId],
  )
  await bench.owner.raw('analyze datasets')
  await changeRetention(bench.db, subscriptionId, { days: 100, blobDays: 50 })
  for (let step = 0; step < 10; step++) expect(await expireDatasets(bench.db, subscriptionId, 500)).toBe(500)
  // statistics of a new connection's only transaction: those of the table also get what other connections did seconds ago
  const countReads = async (step: (trx: Knex.Transaction) => Promise<number>) => {
    const db = openDatabase({ url: bench.url, poolMax: 1 })
    const counts = await db.transaction(async (trx) => {
      expect(await step(trx)).toBe(500)
      const { rows } = await trx.raw(
        "select seq_scan::int as scans, idx_tup_fetch::int as fetched from pg_stat_xact_user_tables where relname = 'datasets'",
      )
      return rows[0] as { scans: number; fetched: number }
    })
    await db.destroy()
    return counts
  }
  const datasets = await countReads((trx) => expireDatasets(trx, subscriptionId, 500))
  const blobs = await countReads((trx) => expireBlobs(trx, subscriptionId, 500))
  expect([datasets.scans, blobs.scans]).toEqual([0, 0])
  expect(datasets.fetched + blobs.fetched).toBeGreaterThan(1_000)
  expect(datasets.fetched + blobs.fetched).toBeLessThan(10_000)
})
