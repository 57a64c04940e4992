import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSessions, startSession } from '../../../db/accounts/sessions.ts'
import { type Db, openDatabase } from '../../../db/postgres/database.ts'
import { addUser, openTenant } from '../../support/service.ts'
import { openTestDatabase, type TestDatabase } from '../../support/stores.ts'

let stored: TestDatabase
let db: Db

beforeAll(async () => {
  stored = await openTestDatabase()
  db = openDatabase({ url: stored.url, poolMax: 2 })
})
afterAll(async () => {
  await db.destroy()
  await stored.drop()
})

/** A session of a new user. */
async function openSession(subscriptionId: number, email: string) {
  const userId = await addUser(db, subscriptionId, email, 'analyst')
  const { sessionId } = await startSession(db, { subscriptionId, userId })
  return { subscriptionId, sessionId, userId, email }
}

test('sessions looked up together return their own users, in the order requested, also repeated', async () => {
  const [one, other] = [await openTenant(db), await openTenant(db)]
  const sessions = [
    await openSession(one.subscriptionId, 'a@one.example'),
    await openSession(other.subscriptionId, 'b@other.example'),
    await openSession(one.subscriptionId, 'c@one.example'),
  ]
  const asked = [...sessions.toReversed(), ...sessions]
  expect(await findSessions(db, asked)).toMatchObject(asked.map((session) => ({ ...session, live: true })))
})

test('a session is found in its own subscription only, and an unknown one does not affect the others', async () => {
  const [one, other] = [await openTenant(db), await openTenant(db)]
  const session = await openSession(one.subscriptionId, 'd@one.example')
  const found = await findSessions(db, [
    { ...session, subscriptionId: other.subscriptionId },
    session,
    { ...session, sessionId: crypto.randomUUID() },
  ])
  expect(found.map((user) => user?.email)).toEqual([undefined, 'd@one.example', undefined])
})

test('sessions are found fast among many of the same subscription, before Postgres has analysed the table', async () => {
  const { subscriptionId } = await openTenant(db)
  const userId = await addUser(db, subscriptionId, 'busy@one.example', 'analyst')
  const owner = openDatabase({ url: stored.ownerUrl, poolMax: 1 })
  await owner.raw('alter table sessions set (autovacuum_enabled = off)')
  await owner.destroy()
  await db.raw(
    `insert into sessions (subscription_id, id, user_id, expires_at)
     select ?, gen_random_uuid(), ?, now() + interval '1 day' from generate_series(1, 10000)`,
    [subscriptionId, userId],
  )
  const asked: { subscriptionId: number; sessionId: string }[] = await db('sessions')
    .select({ subscriptionId: 'subscription_id', sessionId: 'id' })
    .where({ subscription_id: subscriptionId })
    .orderByRaw('ctid desc') // those that a scan of any other index reaches last
    .limit(30)
  const tookMs: number[] = []
  for (let n = 0; n < 5; n++) {
    const startedAt = performance.now()
    expect(await findSessions(db, asked)).toMatchObject(asked)
    tookMs.push(performance.now() - startedAt)
  }
  expect(Math.min(...tookMs)).toBeLessThan(25) // 70 if all sessions are read for each
})
