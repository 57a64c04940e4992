import { afterAll, beforeAll, expect, test } from 'vitest'
import { measureBacklog, openBacklogScan } from '../../../db/datasets/backlog.ts'
import { claimTimedOut } from '../../../db/datasets/outbox.ts'
import { findOverdue, type OverdueScan, openOverdueScan } from '../../../db/datasets/overdue-scan.ts'
import { queryRows } from '../../../db/postgres/database.ts'
import { openMetrics } from '../../../worker/health/metrics.ts'
import { openProgress } from '../../../worker/health/progress.ts'
import { countTransactionPages } from '../../support/count-transaction-pages.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench
let releaseSnapshot: () => Promise<unknown>

beforeAll(async () => {
  bench = await openWorkbench()
  // as a backup does
  const snapshot = await bench.owner.transaction(undefined, { isolationLevel: 'repeatable read' })
  await queryRows(snapshot, 'select count(*) from datasets')
  releaseSnapshot = () => snapshot.rollback()
})
afterAll(async () => {
  await releaseSnapshot()
  await bench.close()
})

/** Stores uploads whose timeout expires then; `settle` ends them all. */
const receive = (count: number, timesOutIn: string) =>
  queryRows<{ id: number }>(
    bench.db,
    `insert into datasets (subscription_id, reference_number, data_hash, blob, uploaded_at, ring_at)
     select ?, gen_random_uuid(), '', '', now() - interval '3 minutes', now() + ?::interval from generate_series(1, ?)
     returning id`,
    [bench.subscriptionId, timesOutIn, count],
  )
const settle = () =>
  bench.db.raw(
    "update datasets set status = 'ready', ring_at = null, settled_at = now() where ring_at is not null",
  )

const FEW = 40
const DATASETS = 6_000

test('while a snapshot is in use, relay and age read a few pages, however many datasets came and went', async () => {
  const overdue = openOverdueScan()
  const backlog = openBacklogScan()
  const look = async () => {
    await findOverdue(bench.db, overdue)
    await measureBacklog(bench.db, 10_000, backlog)
  }
  await look()
  await receive(DATASETS, '-2 minutes')
  await settle()
  await look() // still from the first one
  backlog.oldest.newest = { id: backlog.oldest.newest?.id ?? 0, at: performance.now() - 30_000 }
  await look()
  backlog.oldest.newest = { id: backlog.oldest.newest?.id ?? 0, at: performance.now() - 30_000 }
  await look()

  const pages = (scan: OverdueScan, of = backlog) =>
    Promise.all([
      countTransactionPages(bench.db, (trx) => findOverdue(trx, scan)),
      countTransactionPages(bench.db, (trx) => claimTimedOut(trx, 100, scan.since)),
      countTransactionPages(bench.db, (trx) => measureBacklog(trx, 10_000, of)),
    ])
  const bounded = await pages(overdue)
  expect(Math.max(...bounded)).toBeLessThan(FEW)
  const whole = await pages(openOverdueScan(), openBacklogScan())
  expect(whole[0]).toBeGreaterThan(2 * FEW)

  // what comes now is found
  const [waiting] = await receive(1, '-5 seconds')
  expect(await findOverdue(bench.db, overdue)).toBe(true)
  expect((await measureBacklog(bench.db, 10_000, backlog)).oldestSeconds).toBeGreaterThan(179)
  expect(await claimTimedOut(bench.db, 100, overdue.since)).toEqual([
    { subscriptionId: bench.subscriptionId, id: waiting?.id },
  ])
  expect((await measureBacklog(bench.db, 10_000, backlog)).datasets).toBe(1)
})

test('metrics show how long the oldest snapshot has been in use, and what it leaves behind', async () => {
  const progress = openProgress({ stuckMs: 60_000, isBrokenOff: () => false })
  const { present } = openMetrics({ db: bench.db, progress })
  const read = async () => {
    const text = await present()
    return (name: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(name))
          ?.split(' ')
          .at(-1),
      )
  }
  const oldest = 'inkling_postgres_oldest_snapshot_seconds '
  expect((await read())(oldest)).toBe(0) // seen for the first time
  await expect.poll(async () => (await read())(oldest)).toBeGreaterThan(0)
  const dead = 'inkling_postgres_rows{table="datasets",state="dead"}'
  await expect.poll(async () => (await read())(dead), { timeout: 5_000 }).toBeGreaterThanOrEqual(DATASETS)
  await releaseSnapshot()
  await expect.poll(async () => (await read())(oldest)).toBe(0)
})
