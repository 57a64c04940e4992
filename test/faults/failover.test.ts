import { expect, test } from 'vitest'
import { type FeedPlace, FIRST_POSITION } from '../../db/events/event-position.ts'
import { findPlace, readEvents } from '../../db/events/read-events.ts'
import { recordEvents } from '../../db/events/record-events.ts'
import { startRecording } from '../../db/events/recording.ts'
import { type Db, openDatabase } from '../../db/postgres/database.ts'
import { openPostgresStack } from '../support/faults/postgres-stack.ts'
import { startStreamingReplica } from '../support/faults/streaming-replica.ts'

test('a failover of Postgres that loses commits: readers of the feed get every later event, also those that have read lost ones', {
  timeout: 120_000,
}, async () => {
  await using stack = await openPostgresStack({ temporary: true })
  await using replica = await startStreamingReplica(stack.ownerUrl)
  const { subscriptionId } = stack.tenant
  await startRecording(stack.db, subscriptionId)
  const record = async (db: Db, ...numbers: number[]) => {
    for (const n of numbers)
      await recordEvents(db, [{ subscriptionId, type: 'scorecard.promoted', data: { n } }])
  }
  const read = async (db: Db, after: FeedPlace) => {
    const { events, next } = await readEvents(db, subscriptionId, { after, limit: 100, types: [] })
    return { numbers: events.map(({ data }) => (data as { n: number }).n), next }
  }

  await record(stack.db, 1)
  await stack.db('events').update({ at: new Date(Date.now() - 3_600_000) })
  await record(stack.db, 2)
  const replicated = async () => (await replica.query('select data from events order by id')).length
  await expect.poll(replicated).toBe(2)
  const kept = await read(stack.db, FIRST_POSITION)
  expect(kept.numbers).toEqual([1, 2])

  await replica.query("alter system set primary_conninfo = ''")
  await replica.query('select pg_reload_conf()')
  await expect.poll(() => replica.query('select from pg_stat_wal_receiver')).toEqual([])
  await record(stack.db, 10, 11, 12, 13, 14)
  const lost = await read(stack.db, kept.next)
  expect(lost.numbers).toEqual([10, 11, 12, 13, 14])
  await replica.query('select pg_promote()')

  const db = openDatabase({ url: replica.url(stack.databaseUrl), poolMax: 2 })
  const placeAfter = (place: FeedPlace) => findPlace(db, subscriptionId, place)
  await record(db, 20, 21)
  expect((await read(db, lost.next)).numbers).toEqual([]) // ids of transactions are used again
  expect(await placeAfter(kept.next)).toEqual(kept.next)
  expect((await read(db, kept.next)).numbers).toEqual([20, 21])
  // those of the last minutes are repeated; all are for a cursor of an earlier version, which has no time
  const repeated = await read(db, (await placeAfter(lost.next)) ?? FIRST_POSITION)
  expect(repeated.numbers).toEqual([2, 20, 21])
  const { position, id } = lost.next
  expect(await placeAfter({ position, id })).toEqual({ position: 0, id: 0 })
  expect(await placeAfter(repeated.next)).toEqual(repeated.next)

  // another event has the numbers of the one that was read
  const at = new Date(Date.now() + 60_000)
  expect(await placeAfter({ ...repeated.next, at })).not.toEqual({ ...repeated.next, at })
  await db.destroy()
})
