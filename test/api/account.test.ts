import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { REFRESH_COOKIE, TOKEN_COOKIE } from '../../api/account/session-cookies.ts'
import { queryRows } from '../../db/postgres/database.ts'
import { type Answer, attemptLogin, call, logIn } from '../support/client.ts'
import { FROM_PORTAL } from '../support/route-requests.ts'
import { PASSWORD, type Service, startService, type Tenant } from '../support/service.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ worker: false, trustedProxies: ['127.0.0.1'] })
})
afterAll(() => service.stop())

const listSessions = (token: string) => call(service.url, 'GET', '/api/account/v1/sessions', { token })

const beginInBrowser = ({ userEmail }: Tenant) =>
  call(service.url, 'POST', '/api/account/v1/session', {
    body: { userEmail, password: PASSWORD },
    headers: { ...FROM_PORTAL, 'User-Agent': 'A browser', 'X-Real-IP': '198.51.100.7' },
  })

const cookieOf = ({ headers }: Answer) =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')

const refresh = (cookie: string) =>
  call(service.url, 'POST', '/api/account/v1/session/refresh', {
    headers: { ...FROM_PORTAL, Cookie: cookie },
  })

const changePassword = (
  token: string,
  currentPassword: string,
  newPassword: string,
  address = '198.51.100.8',
) =>
  call(service.url, 'POST', '/api/account/v1/password', {
    token,
    body: { currentPassword, newPassword },
    headers: { 'X-Real-IP': address },
  })

const isOver = (token: string) =>
  vi.waitFor(async () => expect((await listSessions(token)).status).toBe(401), { timeout: 5_000 })

test('active sessions are listed with start, address and user agent, the current one marked', async () => {
  const tenant = await service.openTenant()
  const token = await logIn(service.url, tenant)
  const browser = await beginInBrowser(tenant)
  const { items } = (await listSessions(token)).body
  expect(items).toEqual([
    {
      id: browser.body.sessionId,
      startedAt: expect.any(String),
      refreshedAt: expect.any(String),
      address: '198.51.100.7',
      userAgent: 'A browser',
      current: false,
    },
    expect.objectContaining({ current: true }),
  ])
  expect((await refresh(cookieOf(browser))).status).toBe(200)
  const [refreshed] = (await listSessions(token)).body.items
  expect(refreshed.startedAt).toBe(items[0].startedAt)
  expect(refreshed.refreshedAt > items[0].refreshedAt).toBe(true)
})

test('an ended session, or one that its browser no longer refreshes, is not listed', async () => {
  const tenant = await service.openTenant()
  const token = await logIn(service.url, tenant)
  const left = await beginInBrowser(tenant)
  await service.db.raw(
    "update refresh_tokens set created_at = now() - interval '41 minutes' where session_id = ?",
    [left.body.sessionId],
  )
  const ended = await beginInBrowser(tenant)
  await call(service.url, 'DELETE', `/api/account/v1/sessions/${ended.body.sessionId}`, { token })
  const { items } = (await listSessions(token)).body
  expect(items.map(({ current }: { current: boolean }) => current)).toEqual([true])
  expect((await refresh(cookieOf(ended))).status).toBe(401)
})

test('a user ends only own sessions; an unknown one gets the same response', async () => {
  const [ann, bob] = [await service.openTenant(), await service.openTenant()]
  const browser = await beginInBrowser(ann)
  const token = await logIn(service.url, bob)
  for (const id of [browser.body.sessionId, crypto.randomUUID(), 'junk'])
    expect((await call(service.url, 'DELETE', `/api/account/v1/sessions/${id}`, { token })).status).toBe(204)
  expect((await refresh(cookieOf(browser))).status).toBe(200)
})

test('signing out everywhere ends all sessions, including the current one, and removes the cookies', async () => {
  const tenant = await service.openTenant()
  const token = await logIn(service.url, tenant)
  const browser = await beginInBrowser(tenant)
  const { status, headers } = await call(service.url, 'DELETE', '/api/account/v1/sessions', { token })
  expect(status).toBe(204)
  expect(headers.getSetCookie().map((cookie) => cookie.split('=')[0])).toEqual([TOKEN_COOKIE, REFRESH_COOKIE])
  expect((await refresh(cookieOf(browser))).status).toBe(401)
  await isOver(token)
})

test('a changed password replaces the old one, ends the other sessions and is recorded', async () => {
  const tenant = await service.openTenant()
  const token = await logIn(service.url, tenant)
  const other = await beginInBrowser(tenant)
  const longest = `another good password ${'x'.repeat(106)}`
  expect(longest).toHaveLength(128)
  expect((await changePassword(token, PASSWORD, longest)).status).toBe(204)

  expect((await attemptLogin(service.url, tenant.userEmail)).status).toBe(401)
  expect((await attemptLogin(service.url, tenant.userEmail, longest)).status).toBe(200)
  expect((await refresh(cookieOf(other))).status).toBe(401)
  expect((await listSessions(token)).status).toBe(200)
  const records = await queryRows<{ actor: string; action: string; detail: object }>(
    service.db,
    `select actor, action, detail from audit_events where subscription_id = ? and action like 'user.%'`,
    [tenant.subscriptionId],
  )
  expect(records).toEqual([{ actor: tenant.userEmail, action: 'user.password', detail: {} }])
})

test('every password is stored as an argon2id hash, of 19 MiB and 2 passes', async () => {
  const tenant = await service.openTenant()
  const storedHashes = () =>
    queryRows<{ hash: string }>(
      service.db,
      'select password_hash as hash from users where subscription_id = ?',
      [tenant.subscriptionId],
    )
  const form = [{ hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/) }] // KiB
  const first = await storedHashes()
  expect(first).toEqual(form)
  await changePassword(await logIn(service.url, tenant), PASSWORD, 'another good password')
  const second = await storedHashes()
  expect(second).toEqual(form)
  expect(second).not.toEqual(first)
})

test('a short or unchanged new password, or a wrong current one, is rejected and changes nothing', async () => {
  const tenant = await service.openTenant()
  const token = await logIn(service.url, tenant)
  for (const [current, next, errors] of [
    [PASSWORD, 'too short', { newPassword: ['must have at least 12 characters'] }],
    [PASSWORD, PASSWORD, { newPassword: ['must differ from the current password'] }],
    [PASSWORD, 'Password-1234', { newPassword: [expect.stringContaining('common password')] }],
    [PASSWORD, tenant.userEmail.toUpperCase(), { newPassword: ['must not be your e-mail or a part of it'] }],
    ['a wrong password', 'another good password', { currentPassword: ['is not your password'] }],
  ] as const) {
    const { status, body } = await changePassword(token, current, next)
    expect([status, body.title, body.errors]).toEqual([400, 'validation_failed', errors])
  }
  expect((await attemptLogin(service.url, tenant.userEmail)).status).toBe(200)
})

test('guesses of the current password are limited like logins', async () => {
  const tenant = await service.openTenant()
  const token = await logIn(service.url, tenant)
  for (let n = 0; n < 10; n++)
    expect(
      (await changePassword(token, `guess number ${n}`, 'another good password', '203.0.113.50')).status,
    ).toBe(400)
  const { status, headers } = await changePassword(token, PASSWORD, 'another good password', '203.0.113.50')
  expect(status).toBe(429)
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
})
