import { afterAll, beforeAll, expect, test } from 'vitest'
import { FIRST_POSITION, keepEventClock } from '../../../db/events/event-position.ts'
import { pruneFeed } from '../../../db/events/prune-events.ts'
import { findHeads, findLatest, findPruned, readEvents } from '../../../db/events/read-events.ts'
import { recordEvents } from '../../../db/events/record-events.ts'
import { startRecording, untilRecording } from '../../../db/events/recording.ts'
import { type Db, openDatabase } from '../../../db/postgres/database.ts'
import { openTestDatabase, type TestDatabase } from '../../support/stores.ts'

let stored: TestDatabase
let db: Db
let subscriptionId: number

beforeAll(async () => {
  stored = await openTestDatabase()
  db = openDatabase({ url: stored.url, poolMax: 6 })
  subscriptionId = await addSubscription('lender')
  await startRecording(db, subscriptionId)
})
afterAll(async () => {
  await db.destroy()
  await stored.drop()
})

async function addSubscription(name: string): Promise<number> {
  const [row] = await db('subscriptions').insert({ name }).returning('id')
  return row.id
}

const record = (trx: Db, n: number, of = subscriptionId) =>
  recordEvents(trx, [{ subscriptionId: of, type: 'scorecard.promoted', data: { n } }])

const read = async (after = FIRST_POSITION, limit = 100) => {
  const { events, ...page } = await readEvents(db, subscriptionId, { after, limit, types: [] })
  return { numbers: events.map(({ data }) => (data as { n: number }).n), ...page }
}

test('a reader passes by no event of a transaction that commits after later ones', async () => {
  const slow = await db.transaction()
  await record(slow, 1)
  await record(db, 2)
  const before = await read()
  expect(before.numbers).toEqual([]) // 2 is committed, and not final
  await slow.commit()
  await expect.poll(async () => (await read(before.next)).numbers).toEqual([1, 2]) // once other tests' transactions have ended too
  const after = await read(before.next)
  expect(after.hasMore).toBe(false)
  expect((await read(after.next)).numbers).toEqual([])
  expect((await findHeads(db, [subscriptionId])).get(subscriptionId)).toEqual(after.next)

  const begun = await findLatest(db, subscriptionId)
  expect((await read(begun)).numbers).toEqual([])
  await record(db, 3)
  await expect.poll(async () => (await read(begun)).numbers).toEqual([3])
})

test('a transaction that only reads, as a backup does, delays no event', async () => {
  const next = await findLatest(db, subscriptionId)
  const reading = await db.transaction(undefined, { isolationLevel: 'repeatable read', readOnly: true })
  await reading('events').count()
  await record(db, 4)
  await expect.poll(async () => (await read(next)).numbers).toEqual([4])
  await reading.rollback()
})

test('many concurrent transactions: a reader that polls sees each event once', async () => {
  let next = await findLatest(db, subscriptionId)
  const expected = Array.from({ length: 120 }, (_, n) => 1_000 + n)
  const seen: number[] = []
  let writing = true
  const readOn = async () => {
    const page = await read(next, 7)
    seen.push(...page.numbers)
    next = page.next
  }
  const reading = (async () => {
    while (writing) await readOn()
  })()
  await Promise.all(
    [0, 1, 2, 3].map(async (writer) => {
      for (const n of expected.filter((one) => one % 4 === writer))
        await db.transaction(async (trx) => {
          await record(trx, n)
          if (n % 3 === 0) await trx.raw('select pg_sleep(0.005)')
        })
    }),
  )
  writing = false
  await reading
  // the last ones are final once transactions of other tests, on the same server, have ended
  await expect
    .poll(async () => {
      await readOn()
      return seen.length
    })
    .toBeGreaterThanOrEqual(expected.length)
  expect(seen.toSorted()).toEqual(expected)
  expect(new Set(seen).size).toBe(expected.length)
})

test('an event of a transaction that waited for another is behind the events of the other', async () => {
  const next = await findLatest(db, subscriptionId)
  const first = await db.transaction()
  await first.raw('select pg_current_xact_id()') // its id is lower
  await record(db, 10)
  await record(first, 11)
  await first.commit()
  await expect.poll(async () => (await read(next)).numbers).toEqual([10, 11])
})

test('nothing is recorded of a subscription that has not begun, and a start waits for transactions that may have missed it', async () => {
  const other = await addSubscription('other')
  await record(db, 1, other)
  const writing = await db.transaction()
  await writing('datasets').insert({
    ...{ subscription_id: other, reference_number: 'a', data_hash: '', blob: '' },
  })
  expect(await startRecording(db, other)).toBe(true)
  expect(await startRecording(db, other)).toBe(false)
  let isOver = false
  const over = untilRecording(db).then(() => {
    isOver = true
  })
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(isOver).toBe(false)
  await writing.commit()
  await over
  await record(db, 2, other)
  const readOther = () => readEvents(db, other, { after: FIRST_POSITION, limit: 10, types: [] })
  await expect.poll(async () => (await readOther()).events.map(({ data }) => data)).toEqual([{ n: 2 }])
})

test('events of tables that were restored into a server with lower transaction ids are read, and new ones come after them', async () => {
  const { next } = await read(FIRST_POSITION, 1_000)
  await keepEventClock(db)
  expect(await keepEventClock(db)).toBe(false)
  await db('event_clock').update({ seen: 4_000_000_000 }) // of the other server
  await db('events')
    .where({ subscription_id: subscriptionId, position: next.position, id: next.id })
    .update({ position: 3_999_999_999 })
  expect(await keepEventClock(db)).toBe(true)
  expect(await keepEventClock(db)).toBe(false)
  const restored = await read(next)
  expect(restored.numbers).toEqual([11])
  await record(db, 20)
  await expect.poll(async () => (await read(restored.next)).numbers).toEqual([20])
})

test('old events are removed with the others of their transaction, and the place is kept', async () => {
  await db('events')
    .where({ subscription_id: subscriptionId })
    .whereRaw("(data->>'n')::int <> 20")
    .update({ at: new Date('2020-01-01') })
  while ((await pruneFeed(db, subscriptionId, { days: 30, limit: 50 })) > 0);
  const left = await read()
  expect(left.numbers).toEqual([20])
  expect(await findPruned(db, subscriptionId)).toBeLessThan(left.next.position)
  expect(await findPruned(db, subscriptionId)).toBeGreaterThan(3_999_999_998)
})
