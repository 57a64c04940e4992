import { expect, test } from 'vitest'
import { findInsights, recordRequests, requestInsights } from '../../../db/datasets/insights.ts'
import { openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { anActor } from '../../support/actors.ts'
import { openTenant } from '../../support/service.ts'
import { openTestDatabase } from '../../support/stores.ts'

test('a read probes indexes, however small the tables were when Postgres last analysed them', async () => {
  const stored = await openTestDatabase()
  const db = openDatabase({ url: stored.url, poolMax: 1 })
  const { subscriptionId } = await openTenant(db)
  await queryRows(
    db,
    `insert into datasets (subscription_id, reference_number, data_hash)
     select ?, 'R-' || n, '' from generate_series(1, 500) n`,
    [subscriptionId],
  )
  const scans = async () => {
    await queryRows(db, 'select pg_stat_force_next_flush()')
    return queryRows<{ table: string; scans: number }>(
      db,
      `select relname as table, seq_scan as scans from pg_stat_user_tables
       where relname in ('datasets', 'insights') order by relname`,
    )
  }
  const before = await scans()
  const found = await requestInsights(
    db,
    Array.from({ length: 64 }, (_, n) => ({
      subscriptionId,
      referenceNumber: `R-${n + 1}`,
      requestor: anActor('analyst'),
      waitedSeconds: 0,
      last: false,
      explained: false,
    })),
  )
  expect(found.map((one) => one?.referenceNumber)).toEqual(Array.from({ length: 64 }, (_, n) => `R-${n + 1}`))
  expect(await scans()).toEqual(before)
  await db.destroy()
  await stored.drop()
})

test('a request that is recorded later is recorded as one that is answered by the primary, unless its dataset is erased', async () => {
  const stored = await openTestDatabase()
  const db = openDatabase({ url: stored.url, poolMax: 1 })
  const { subscriptionId } = await openTenant(db)
  await queryRows(
    db,
    `insert into datasets (subscription_id, reference_number, data_hash) values (?, 'kept', ''), (?, 'erased', '')`,
    [subscriptionId, subscriptionId],
  )
  const requestor = { kind: 'user', id: 7, name: 'Ann', address: '192.0.2.1' } as const
  const request = (referenceNumber: string) => ({
    ...{ subscriptionId, referenceNumber, requestor },
    ...{ waitedSeconds: 2, last: true, explained: false },
  })
  await requestInsights(db, [request('kept')])
  const found = await findInsights(db, ['kept', 'erased'].map(request))
  await queryRows(db, `delete from datasets where subscription_id = ? and reference_number = 'erased'`, [
    subscriptionId,
  ])
  await recordRequests(
    db,
    found.flatMap((one) => (one ? [{ ...one, requestor }] : [])),
  )
  const [now, later, ...others] = await queryRows<Record<string, unknown>>(
    db,
    `select subscription_id, dataset_id, reference_number, requestor, requestor_kind, requestor_id, address, requested_at
     from insight_requests order by id`,
  )
  expect(others).toEqual([])
  expect(later).toEqual({ ...now, requested_at: expect.any(Date) })
  expect(JSON.stringify(later?.requested_at)).toContain(found[0]?.requestedDate.slice(0, 23))
  await db.destroy()
  await stored.drop()
})
