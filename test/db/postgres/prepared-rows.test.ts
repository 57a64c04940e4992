import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openIntake } from '../../../api/datasets/intake.ts'
import { createSubscription } from '../../../db/accounts/subscriptions.ts'
import { type Db, openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { prepareRows } from '../../../db/postgres/prepared-rows.ts'
import { openTestDatabase } from '../../support/stores.ts'
import { aStoredUpload } from '../../support/workbench.ts'

let url: string
/** One connection, so that a test knows what is prepared on it. */
let db: Db

beforeAll(async () => {
  url = (await openTestDatabase()).url
})
beforeEach(async () => {
  db = openDatabase({ url, poolMax: 1 })
  await queryRows(db, 'create temporary table words (place serial, n integer, word text)')
})
afterEach(() => db.destroy())

const insertWords = prepareRows<{ place: number; n: number; word: string | null }>(
  ['integer', 'text'],
  (rows) => `insert into words (n, word) select * from ${rows} given returning place, n, word`,
)

const countPrepared = async () => {
  const [row] = await queryRows<{ n: number }>(
    db,
    `select count(*)::integer as n from pg_prepared_statements where statement like '%into words%'`,
  )
  return row?.n
}

test('lists of any length are stored completely and in order, with one statement for each power of two', async () => {
  for (let length = 1; length <= 33; length++) {
    const words = Array.from({ length }, (_, n) => [n, n % 3 === 0 ? null : `word ${n}`] as const)
    const stored = await insertWords(db, words)
    expect(stored.map(({ n, word }) => [n, word])).toEqual(words)
    expect(stored.map(({ place }) => place)).toEqual(stored.map(({ place }) => place).sort((a, b) => a - b))
  }
  expect(await countPrepared()).toBe(7) // of 1, 2, 4, 8, 16, 32 and 64
})

test('a statement survives a migration that changes the type of its result', async () => {
  await insertWords(db, [[1, 'one']])
  await queryRows(db, 'alter table words alter column word type varchar(100)')
  expect(await insertWords(db, [[2, 'two']])).toMatchObject([{ n: 2, word: 'two' }])
})

test('uploads work behind a pooler that does not track prepared statements', async () => {
  const { id: subscriptionId } = await createSubscription(db, 'Behind a pooler')
  const counts = { countUpload: () => undefined }
  const intake = openIntake({ db, producer: { tryEnqueue: async () => true } as never, counts })
  const add = () => intake.add(aStoredUpload(subscriptionId))
  expect(await add()).toMatchObject({ outcome: 'received' })
  expect(await queryRows(db, 'select 1 from pg_prepared_statements')).toHaveLength(1)
  await queryRows(db, 'deallocate all') // as on a connection without prepared statements
  expect(await add()).toMatchObject({ outcome: 'received' })
  expect(await Promise.all([add(), add(), add()])).toMatchObject(Array(3).fill({ outcome: 'received' }))
  expect(await queryRows(db, 'select 1 from pg_prepared_statements')).toEqual([])
})
