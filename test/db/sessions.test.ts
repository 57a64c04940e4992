import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Db, openDatabase } from '../../db/database.ts'
import { findSessions, startSession } from '../../db/sessions.ts'
import { addUser, openTenant } from '../service.ts'
import { openTestDatabase, type TestDatabase } from '../stores.ts'

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

test('sessions that are looked up together are each their own user’s, in the order asked, also twice', async () => {
  const [one, other] = [await openTenant(db), await openTenant(db)]
  const sessions = [
    await openSession(one.subscriptionId, 'a@one.example'),
    await openSession(other.subscriptionId, 'b@other.example'),
    await openSession(one.subscriptionId, 'c@one.example'),
  ]
  const asked = [...sessions.toReversed(), ...sessions]
  expect(await findSessions(db, asked)).toMatchObject(asked.map((session) => ({ ...session, live: true })))
})

test('a session is found in its own subscription only, and one that there is not leaves the others as they are', async () => {
  const [one, other] = [await openTenant(db), await openTenant(db)]
  const session = await openSession(one.subscriptionId, 'd@one.example')
  const found = await findSessions(db, [
    { ...session, subscriptionId: other.subscriptionId },
    session,
    { ...session, sessionId: crypto.randomUUID() },
  ])
  expect(found.map((user) => user?.email)).toEqual([undefined, 'd@one.example', undefined])
})
