import { afterAll, beforeAll, expect, test } from 'vitest'
import { measureBacklog, measureSubscriptionBacklog } from '../../../db/datasets/backlog.ts'
import { type Db, queryRows } from '../../../db/postgres/database.ts'
import { countTransactionPages } from '../../support/count-transaction-pages.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

/** Stores uploads of some subscriptions in turn, that wait since then and whose timeout expires then. */
const receive = (count: number, subscriptions: readonly number[], waitsFor: string, timesOutIn: string) =>
  queryRows(
    bench.db,
    `insert into datasets (subscription_id, reference_number, data_hash, blob, uploaded_at, ring_at, rings)
     select s.ids[1 + n % cardinality(s.ids)], gen_random_uuid(), '', '', now() - ?::interval, now() + ?::interval, 1
     from generate_series(1, ?::integer) n, (values (?::integer[])) s (ids)`,
    [waitsFor, timesOutIn, count, subscriptions],
  )

/** The age of the oldest waiting upload by reading every row; equal in one transaction, whose time stands still. */
async function readAge(trx: Db, subscriptions: readonly number[]): Promise<number> {
  const [row] = await queryRows<{ seconds: number }>(
    trx,
    `select extract(epoch from now() - min(uploaded_at))::float as seconds from datasets
     where status = 'received' and subscription_id = any(?)`,
    [subscriptions],
  )
  return row?.seconds ?? Number.NaN
}

test('the age of the oldest dataset is exact in two bursts, the first of which the relay put behind the second', async () => {
  const lenders = await Promise.all(Array.from({ length: 4 }, () => bench.openSubscription()))
  const [first = 0, second = 0, third = 0, idle = 0] = lenders
  await receive(200, [idle], '1 day', '0 s')
  await bench.db.raw(`update datasets set status = 'invalid', ring_at = null where subscription_id = ?`, [
    idle,
  ])
  await receive(1, [second], '176 s', '40 s')
  await receive(1_000, [first, second], '165 s', '30 s')
  await receive(10_100, [first, second, third], '3 s', '12 s')

  await bench.db.transaction(async (trx) => {
    expect(await measureBacklog(trx, 10_000)).toEqual({
      datasets: 10_000,
      oldestSeconds: await readAge(trx, lenders),
    })
    for (const lender of [first, second, third])
      expect((await measureSubscriptionBacklog(trx, lender)).oldestSeconds).toBe(await readAge(trx, [lender]))
    expect(await measureSubscriptionBacklog(trx, idle)).toMatchObject({ datasets: 0, oldestSeconds: null })
  })
  expect(await countTransactionPages(bench.db, (trx) => measureBacklog(trx, 0))).toBeLessThan(
    8 * (lenders.length + 1),
  )
})
