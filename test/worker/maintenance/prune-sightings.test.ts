import { pino } from 'pino'
import { expect, test } from 'vitest'
import { pruneSightings } from '../../../db/datasets/prune-sightings.ts'
import { openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { pruneExpired } from '../../../worker/maintenance/prune-expired.ts'
import { countPages } from '../../support/count-pages.ts'
import { withMeteredDatabase } from '../../support/metered-database.ts'

const DAY_SIGHTINGS = 1_000

const opened = withMeteredDatabase()

const add = (sightings: number, { fromDay, days }: { fromDay: number; days: number }) =>
  opened.db.raw(
    `insert into sightings (subscription_id, kind, key, at, place)
     select 1, 'device', int8send(n + ? * 1000000::bigint), now() - make_interval(days => ?, secs => ? * 86400.0 * n / ?), 1
     from generate_series(1, ?) n`,
    [fromDay, fromDay, days, sightings, sightings],
  )

const countSightings = async () =>
  (await queryRows<{ n: number }>(opened.db, 'select count(*)::int as n from sightings'))[0]?.n

const prune = () =>
  pruneExpired({ db: opened.db, log: pino({ level: 'silent' }) }, new AbortController().signal)

test('after a month in which pages were reused, a pass reads only the rows that are due, at any rate', async () => {
  await opened.owner.raw('alter table sightings set (autovacuum_enabled = off)') // of removed rows, what this test says is dead is dead
  // 40 days; each day the sightings of 32 days before go, and their space is used again
  for (let day = 40; day > 0; day--) {
    await add(DAY_SIGHTINGS, { fromDay: day - 1, days: 1 })
    await opened.db.raw('delete from sightings where at < now() - make_interval(days => ?)', [day + 31])
    await opened.owner.raw('vacuum sightings')
  }
  await opened.owner.raw('analyze sightings')
  await prune()
  const young = await countSightings()
  expect(young).toBeLessThanOrEqual(32 * DAY_SIGHTINGS)
  expect(young).toBeGreaterThan(31 * DAY_SIGHTINGS)
  expect(await countPages(opened.db, prune, 'sightings')).toBeLessThan(10)

  // what 1,000 datasets a second, each with a device and a client, leave to a pass, while a backup keeps its snapshot
  const backup = await opened.owner.transaction(null, { isolationLevel: 'repeatable read' })
  try {
    await backup.raw('set local idle_in_transaction_session_timeout = 0')
    await backup.raw('select from sightings limit 1')
    await add(120_000, { fromDay: 40, days: 1 })
    await prune()
    expect(await countSightings()).toBe(young)
    expect(await countPages(opened.db, prune, 'sightings')).toBeLessThan(20)
  } finally {
    await backup.rollback()
  }
}, 60_000)

test('one worker prunes at a time, and the walk begins again after a day', async () => {
  await add(30, { fromDay: 50, days: 1 }) // older than what was pruned before
  await prune()
  const young = Number(await countSightings()) - 30
  await opened.db.raw("update sighting_pruning set begun_at = now() - interval '2 days'")
  await opened.db.transaction(async (trx) => {
    await trx.raw('select from sighting_pruning for update')
    const other = openDatabase({ url: opened.url, poolMax: 1 })
    expect(await pruneSightings(other, 10)).toBe(0)
    await other.destroy()
  })
  await prune() // finds nothing, and begins again
  const removed: number[] = []
  for (let step = 0; step < 3; step++) removed.push(await pruneSightings(opened.db, 20))
  expect(removed).toEqual([20, 10, 0])
  expect(await countSightings()).toBe(young)
})
