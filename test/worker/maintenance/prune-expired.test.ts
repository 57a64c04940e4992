import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { acceptInvitation, findInvitedUser, issueInvitation } from '../../../db/accounts/invitations.ts'
import {
  findSessions,
  pruneSessions,
  rotateRefreshToken,
  startSession,
} from '../../../db/accounts/sessions.ts'
import { listUserAccounts } from '../../../db/accounts/user-accounts.ts'
import { type Db, openDatabase, queryRows } from '../../../db/postgres/database.ts'
import { pruneExpired } from '../../../worker/maintenance/prune-expired.ts'
import { anActor } from '../../support/actors.ts'
import { addUser, openTenant } from '../../support/service.ts'
import { openTestDatabase, type TestDatabase } from '../../support/stores.ts'

let stored: TestDatabase
let db: Db

beforeAll(async () => {
  stored = await openTestDatabase()
  db = openDatabase({ url: stored.url, poolMax: 4 })
})
afterAll(async () => {
  await db.destroy()
  await stored.drop()
})

const keep = () => pruneExpired({ db, log: pino({ level: 'silent' }) }, new AbortController().signal)

async function openUser() {
  const { subscriptionId } = await openTenant(db)
  const email = `${crypto.randomUUID()}@lender.example`
  return { subscriptionId, userId: await addUser(db, subscriptionId, email, 'analyst'), email }
}

type User = Awaited<ReturnType<typeof openUser>>

/** A session that began, and ended, so many days ago, with this many refresh tokens. */
async function openSession(
  { subscriptionId, userId }: User,
  days: { begun: number; expired?: number; revoked?: number },
  tokens = 1,
) {
  const { sessionId, refreshToken } = await startSession(db, { subscriptionId, userId })
  let newest = refreshToken
  for (let n = 1; n < tokens; n++)
    newest =
      (await rotateRefreshToken(db, newest, 'program'))?.refreshToken ?? expect.fail('the session is over')
  await db.raw(
    `update sessions set created_at = now() - make_interval(days => ?),
       expires_at = now() - make_interval(days => ?), revoked_at = now() - make_interval(days => ?::integer) where id = ?`,
    [days.begun, days.expired ?? days.begun - 30, days.revoked ?? null, sessionId],
  )
  return { id: sessionId, first: refreshToken, newest }
}

const listSessions = async ({ subscriptionId, userId }: User) =>
  (
    await queryRows<{ id: string }>(
      db,
      'select id from sessions where subscription_id = ? and user_id = ? order by created_at',
      [subscriptionId, userId],
    )
  ).map(({ id }) => id)

const countTokens = async (sessionId: string) =>
  (await queryRows(db, 'select from refresh_tokens where session_id = ?', [sessionId])).length

test('sessions go 30 days after they expired or were ended, with all their refresh tokens', async () => {
  const user = await openUser()
  const expired = await openSession(user, { begun: 62, expired: 31 }, 3)
  const revoked = await openSession(user, { begun: 50, revoked: 31 }, 3)
  const expiredLately = await openSession(user, { begun: 59, expired: 29 }, 3)
  const revokedLately = await openSession(user, { begun: 40, revoked: 29 }, 3)
  const goesOn = await openSession(user, { begun: 1 }, 3)
  await keep()
  expect(await listSessions(user)).toEqual([expiredLately.id, revokedLately.id, goesOn.id])
  expect(await Promise.all([expired.id, revoked.id].map(countTokens))).toEqual([0, 0])
  expect(await Promise.all([expiredLately.id, revokedLately.id, goesOn.id].map(countTokens))).toEqual([
    3, 3, 3,
  ])
  expect(await rotateRefreshToken(db, expired.newest, 'program')).toBeUndefined()
  expect(await findSessions(db, [{ ...user, sessionId: expired.id }])).toEqual([undefined])
})

test('the newest session of a user stays without its tokens, so that an admin sees when they last logged in', async () => {
  const [gone, other] = [await openUser(), await openUser()]
  await openSession(gone, { begun: 200 }, 2)
  const last = await openSession(gone, { begun: 100 }, 2)
  const alone = await openSession(other, { begun: 300 })
  const seen = () => listUserAccounts(db, gone.subscriptionId, { after: undefined, limit: 10 })
  const before = await seen()
  await keep()
  expect(await listSessions(gone)).toEqual([last.id])
  expect(await listSessions(other)).toEqual([alone.id])
  expect(await countTokens(last.id)).toBe(0)
  expect(before.find(({ id }) => id === gone.userId)?.lastLoginAt).toEqual(expect.any(String))
  expect(await seen()).toEqual(before)
})

test('a token that was used long ago still ends its session, which goes on', async () => {
  const user = await openUser()
  const session = await openSession(user, { begun: 29, expired: -1 }, 2)
  await db.raw(
    "update refresh_tokens set created_at = created_at - interval '29 days', used_at = used_at - interval '29 days' where session_id = ?",
    [session.id],
  )
  await keep()
  expect(await rotateRefreshToken(db, session.first, 'program')).toBeUndefined()
  expect(await rotateRefreshToken(db, session.newest, 'program')).toBeUndefined()
})

test('a step removes so many rows at most, and the next ones the rest', async () => {
  const user = await openUser()
  const sessions = [
    await openSession(user, { begun: 90 }, 4),
    await openSession(user, { begun: 80 }, 4),
    await openSession(user, { begun: 1 }),
  ]
  const countAll = async () => ({
    sessions: (await listSessions(user)).length,
    tokens: (await Promise.all(sessions.map(({ id }) => countTokens(id)))).reduce((sum, n) => sum + n),
  })
  const counts = []
  for (let step = 0; step < 6; step++) {
    await pruneSessions(db, 3)
    counts.push(await countAll())
  }
  expect(counts.map(({ tokens }) => tokens)).toEqual([6, 3, 1, 1, 1, 1])
  expect(counts.at(-1)).toEqual({ sessions: 1, tokens: 1 })
})

test('invitations go when they have expired, and one that was renewed works', async () => {
  const [expired, open, renewed] = [await openUser(), await openUser(), await openUser()]
  const { token } = await issueInvitation(db, { ...expired, issuer: anActor('a test') })
  await issueInvitation(db, { ...open, issuer: anActor('a test') })
  await issueInvitation(db, { ...renewed, issuer: anActor('a test') })
  await db.raw("update invitations set expires_at = now() - interval '1 second' where user_id = any(?)", [
    [expired.userId, renewed.userId],
  ])
  const { token: again } = await issueInvitation(db, { ...renewed, issuer: anActor('a test') })
  await keep()
  const left = await queryRows<{ id: number }>(db, 'select user_id as id from invitations order by user_id')
  expect(left.map(({ id }) => id)).toEqual([open.userId, renewed.userId].toSorted((a, b) => a - b))
  expect(await findInvitedUser(db, token)).toBeUndefined()
  expect(await acceptInvitation(db, again, 'a hash')).toBe(true)
})
