import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { suspendSubscription } from '../../db/accounts/subscriptions.ts'
import { type Answer, attemptLogin, call, readInsight } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ worker: false })
})
afterAll(() => service.stop())

interface Session {
  readonly token: string
  readonly refreshToken: string
  readonly tenant: Tenant
}

const sessionOf = ({ status, body }: Answer, tenant: Tenant): Session => {
  expect(status).toBe(200)
  return { token: body.access_token, refreshToken: body.refresh_token, tenant }
}

async function startSession(by?: Tenant): Promise<Session> {
  const tenant = by ?? (await service.openTenant())
  return sessionOf(await attemptLogin(service.url, tenant.userEmail), tenant)
}

const refresh = ({ refreshToken }: { refreshToken: string }) =>
  call(service.url, 'POST', '/api/account/v1/refresh', { body: { refresh_token: refreshToken } })

const logOut = (refreshToken: string) =>
  call(service.url, 'POST', '/api/account/v1/logout', { body: { refresh_token: refreshToken } })

/** What a read of no dataset says of the token: `dataset_not_found` when it is good. */
const titleWith = async (token: string) => (await readInsight(service.url, token, 'none')).body.title

/** Every change of a credential works within 5 s. */
const expectSoon = (token: string, title: string) =>
  vi.waitFor(async () => expect(await titleWith(token)).toBe(title), { timeout: 5_000, interval: 100 })

test('a refresh token returns another login token and the next refresh token', async () => {
  const first = await startSession()
  const answer = await refresh(first)
  const second = sessionOf(answer, first.tenant)
  expect(Date.parse(answer.body['.expires']) - Date.parse(answer.body['.issued'])).toBe(3_600_000)
  expect(second.refreshToken).not.toBe(first.refreshToken)
  expect(await titleWith(second.token)).toBe('dataset_not_found')
  expect(await titleWith(first.token)).toBe('dataset_not_found')
  sessionOf(await refresh(second), first.tenant)
})

test('one of many concurrent uses of a refresh token succeeds, and its successor does not work', async () => {
  const session = await startSession()
  // held back at the row until all are under way
  const held = await service.db.transaction()
  await held.raw(
    'select from refresh_tokens where session_id in (select id from sessions where subscription_id = ?) for update',
    [session.tenant.subscriptionId],
  )
  const uses = Promise.all(Array.from({ length: 4 }, () => refresh(session)))
  await eventually(async () => {
    const { rows } = await service.db.raw(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    expect(rows).toHaveLength(4)
  })
  await held.commit()

  const answers = await uses
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401])
  const success = answers.find(({ status }) => status === 200)
  expect((await refresh({ refreshToken: success?.body.refresh_token })).status).toBe(401)
})

test('a logout with a used, revoked or unknown token gets the same response', async () => {
  const session = await startSession()
  for (const token of [session.refreshToken, session.refreshToken, 'unknown'])
    expect((await logOut(token)).status).toBe(204)
})

test('a refresh token that is unknown, or of an ended session, is rejected', async () => {
  const session = await startSession()
  expect((await refresh({ refreshToken: 'unknown' })).body.title).toBe('invalid_credentials')
  expect((await refresh({ refreshToken: session.token })).body.title).toBe('invalid_credentials')
  await service
    .db('sessions')
    .where({ subscription_id: session.tenant.subscriptionId })
    .update({ expires_at: new Date() })
  expect((await refresh(session)).body.title).toBe('invalid_credentials')
})

test('a refresh without a token names the missing member', async () => {
  const { body } = await call(service.url, 'POST', '/api/account/v1/refresh', { body: {} })
  expect([body.title, Object.keys(body.errors)]).toEqual(['validation_failed', ['refresh_token']])
})

test('refresh tokens are stored as a hash only', async () => {
  const { refreshToken } = await startSession()
  const stored = JSON.stringify(await service.db('refresh_tokens').select())
  expect(stored).not.toContain(refreshToken)
  expect(stored).not.toContain(Buffer.from(refreshToken, 'base64url').toString('hex'))
})

/** Together: what was learnt of a credential is believed for some seconds, which each of these has to wait for. */
describe.concurrent('within 5 s', () => {
  test('using a refresh token twice ends its session, and no other one', async () => {
    const first = await startSession()
    const other = await startSession(first.tenant)
    const second = sessionOf(await refresh(first), first.tenant)
    expect(await titleWith(second.token)).toBe('dataset_not_found')

    const again = await refresh(first)
    expect([again.status, again.body.title]).toEqual([401, 'invalid_credentials'])
    expect(again.headers.get('www-authenticate')).toMatch(/^Bearer /)
    expect((await refresh(second)).status).toBe(401)
    await expectSoon(first.token, 'unauthenticated')
    await expectSoon(second.token, 'unauthenticated')
    expect(await titleWith(other.token)).toBe('dataset_not_found')
    expect((await refresh(other)).status).toBe(200)
  })

  test('a logout revokes the refresh token at once and the login tokens soon', async () => {
    const first = await startSession()
    const other = await startSession(first.tenant)
    const second = sessionOf(await refresh(first), first.tenant)
    expect(await titleWith(second.token)).toBe('dataset_not_found')

    const { status, body } = await logOut(second.refreshToken)
    expect([status, body]).toEqual([204, ''])
    expect((await refresh(second)).status).toBe(401)
    await expectSoon(first.token, 'unauthenticated')
    await expectSoon(second.token, 'unauthenticated')
    expect(await titleWith(other.token)).toBe('dataset_not_found')
  })

  test('the sessions of a suspended subscription are rejected soon, and work again when it is resumed', async () => {
    const session = await startSession()
    const { subscriptionId } = session.tenant
    expect(await titleWith(session.token)).toBe('dataset_not_found')
    await suspendSubscription(service.db, subscriptionId, true)
    expect((await refresh(session)).status).toBe(401)
    await expectSoon(session.token, 'subscription_suspended')
    expect((await readInsight(service.url, session.token, 'none')).status).toBe(403)

    await suspendSubscription(service.db, subscriptionId, false)
    await expectSoon(session.token, 'dataset_not_found')
    expect((await refresh(session)).status).toBe(200)
  })

  test('the sessions of a disabled user end soon', async () => {
    const session = await startSession()
    expect(await titleWith(session.token)).toBe('dataset_not_found')
    await service.db('users').where({ email: session.tenant.userEmail }).update({ disabled_at: new Date() })
    expect((await refresh(session)).status).toBe(401)
    await expectSoon(session.token, 'unauthenticated')
  })
})
