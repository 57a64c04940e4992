import { setTimeout as delay } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { REFRESH_COOKIE, TOKEN_COOKIE } from '../../api/account/session-cookies.ts'
import { suspendSubscription } from '../../db/accounts/subscriptions.ts'
import { type Answer, attemptLogin, call, logIn } from '../support/client.ts'
import { FROM_PORTAL } from '../support/route-requests.ts'
import { addUser, PASSWORD, type Service, startService, type Tenant } from '../support/service.ts'

const SESSION = '/api/account/v1/session'

let service: Service
let tenant: Tenant

beforeAll(async () => {
  service = await startService({ worker: false })
  tenant = await service.openTenant()
})
afterAll(() => service.stop())

const attempt = (userEmail: string, password = PASSWORD, headers: Record<string, string> = FROM_PORTAL) =>
  call(service.url, 'POST', SESSION, { body: { userEmail, password }, headers })

/** The cookies that an answer sets, by name: value and attributes. */
const cookiesOf = ({ headers }: Answer) =>
  new Map(
    headers.getSetCookie().map((cookie) => {
      const [pair = '', ...attributes] = cookie.split('; ')
      const [name = '', value = ''] = pair.split('=')
      return [name, { value, attributes }]
    }),
  )

/** The value of `Cookie` that a browser sends after an answer. */
const sentAfter = (answer: Answer) =>
  [...cookiesOf(answer)].map(([name, { value }]) => `${name}=${value}`).join('; ')

async function begin({ userEmail }: { userEmail: string } = tenant): Promise<string> {
  const answer = await attempt(userEmail)
  expect(answer.status).toBe(200)
  return sentAfter(answer)
}

const as = (method: string, path: string, cookie: string, headers: Record<string, string> = FROM_PORTAL) =>
  call(service.url, method, path, { headers: { ...headers, Cookie: cookie } })

const show = (cookie: string, headers?: Record<string, string>) => as('GET', SESSION, cookie, headers)
const refresh = (cookie: string, headers?: Record<string, string>) =>
  as('POST', `${SESSION}/refresh`, cookie, headers)
const end = (cookie: string, headers?: Record<string, string>) => as('DELETE', SESSION, cookie, headers)

test('a browser that signs in gets both tokens as cookies that scripts cannot read, and its session', async () => {
  const answer = await attempt(tenant.userEmail)
  expect(answer.body).toEqual({
    userId: expect.any(Number),
    sessionId: expect.any(String),
    email: tenant.userEmail,
    role: 'analyst',
    subscription: tenant.name,
    factorMissing: false,
    singleSignOn: false,
    tokenSeconds: expect.any(Number),
    idleSeconds: 1_800,
  })
  expect(answer.body.tokenSeconds).toBeGreaterThan(597)
  const cookies = cookiesOf(answer)
  expect([...cookies.keys()]).toEqual([TOKEN_COOKIE, REFRESH_COOKIE])
  expect(cookies.get(TOKEN_COOKIE)?.attributes).toEqual([
    'Path=/',
    'Max-Age=600',
    'HttpOnly',
    'Secure',
    'SameSite=Strict',
  ])
  expect(cookies.get(REFRESH_COOKIE)?.attributes).toEqual([
    'Path=/api/account/v1/session',
    'Max-Age=2400',
    'HttpOnly',
    'Secure',
    'SameSite=Strict',
  ])
  const { exp = 0, iat = 0 } = decodeJwt(cookies.get(TOKEN_COOKIE)?.value ?? '')
  expect(exp - iat).toBe(600)
  for (const { value } of cookies.values()) expect(JSON.stringify(answer.body)).not.toContain(value)
})

test('the cookie replaces a login token on endpoints that accept one, within its role', async () => {
  const cookie = await begin()
  expect((await show(cookie)).body).toMatchObject({ email: tenant.userEmail })
  expect((await as('GET', '/v6.0/datasets/none/datasetinsight', cookie)).body.title).toBe('dataset_not_found')
  expect((await as('GET', '/api/insights/v1/none/explanation', cookie)).body.title).toBe('dataset_not_found')
  expect((await as('DELETE', '/api/datasets/v1/none', cookie)).body.title).toBe('forbidden')
  // a route for keys alone
  expect((await as('GET', '/api/insights/v1/none', cookie)).body.title).toBe('unauthenticated')
})

test.each<[string, Record<string, string>]>([
  ['without the header of the portal', { 'Sec-Fetch-Site': 'same-origin' }],
  ['with another value of it', { 'X-Inkling-Portal': 'yes' }],
  ['of another site', { 'X-Inkling-Portal': '1', 'Sec-Fetch-Site': 'cross-site' }],
  ['of a sibling subdomain', { 'X-Inkling-Portal': '1', 'Sec-Fetch-Site': 'same-site' }],
  ['of the address bar', { 'X-Inkling-Portal': '1', 'Sec-Fetch-Site': 'none' }],
])('a request %s does nothing by its cookies', async (_, headers) => {
  const cookie = await begin()
  for (const answer of [
    await show(cookie, headers),
    await as('GET', '/v6.0/datasets/none/datasetinsight', cookie, headers),
    await as('GET', '/api/insights/v1/none/explanation', cookie, headers),
    await refresh(cookie, headers),
    await end(cookie, headers),
    await attempt(tenant.userEmail, PASSWORD, headers),
  ]) {
    expect([answer.status, answer.body.title]).toEqual([403, 'forbidden'])
    expect(answer.body.detail).toContain('X-Inkling-Portal: 1')
    expect(answer.headers.getSetCookie()).toEqual([])
  }
  expect((await show(cookie)).status).toBe(200)
  expect((await refresh(cookie)).status).toBe(200)
})

test("a browser without Sec-Fetch-Site is checked by the portal's header alone", async () => {
  expect((await show(await begin(), { 'X-Inkling-Portal': '1' })).status).toBe(200)
})

test('a bearer token works, whatever the cookies and browser headers', async () => {
  const token = await logIn(service.url, tenant)
  const other = await begin(await service.openTenant())
  for (const headers of [{}, { 'Sec-Fetch-Site': 'cross-site' }, FROM_PORTAL, { Cookie: other }]) {
    const { body } = await call(service.url, 'GET', SESSION, { token, headers })
    expect(body.email).toBe(tenant.userEmail)
  }
  const { body } = await call(service.url, 'GET', SESSION, {
    token: 'junk',
    headers: { ...FROM_PORTAL, Cookie: await begin() },
  })
  expect(body.title).toBe('unauthenticated')
})

test('cookies with other names or invalid values are no credential', async () => {
  const cookie = await begin()
  const [token = '', refreshed = ''] = cookie.split('; ')
  for (const other of [
    '',
    'a=b; c',
    refreshed,
    token.replace('__Host-', ''),
    `${TOKEN_COOKIE}=junk`,
    `${TOKEN_COOKIE}`,
  ])
    expect((await show(other)).body.title).toBe('unauthenticated')
  expect((await show(`a=b;${token};c="d"`)).status).toBe(200)
})

test('a wrong password, a suspended subscription and too many attempts get the same errors as the login endpoint', async () => {
  const { userEmail, subscriptionId } = await service.openTenant()
  const essence = ({ status, body: { traceId: _, ...body } }: Answer) => ({ status, body })
  const both = async (password: string) => {
    const browser = await attempt(userEmail, password)
    expect(browser.headers.getSetCookie()).toEqual([])
    const program = await attemptLogin(service.url, userEmail, password)
    expect(essence(browser)).toEqual(essence(program))
    return browser
  }
  expect((await both('a wrong password')).body.title).toBe('invalid_credentials')
  await suspendSubscription(service.db, subscriptionId, true)
  expect((await both(PASSWORD)).body.title).toBe('subscription_suspended')
  await suspendSubscription(service.db, subscriptionId, false)
  expect((await attempt(userEmail)).status).toBe(200)

  // one count for both ways
  for (let n = 0; n < 5; n++) await both('a wrong password')
  const blocked = await both(PASSWORD)
  expect([blocked.status, blocked.body.title]).toEqual([429, 'rate_limited'])
  expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('a refresh returns new cookies for the next refresh', async () => {
  const first = await begin()
  const answer = await refresh(first)
  expect([answer.status, answer.body.email]).toEqual([200, tenant.userEmail])
  const second = sentAfter(answer)
  expect(cookiesOf(answer).get(REFRESH_COOKIE)?.attributes).toContain('Max-Age=2400')
  expect(second.split('=')[2]).not.toBe(first.split('=')[2])
  expect((await show(second)).status).toBe(200)
  expect((await refresh(second)).status).toBe(200)
})

test('a refresh cookie used twice ends the session and removes the cookies', async () => {
  const first = await begin()
  const second = sentAfter(await refresh(first))
  const again = await refresh(first)
  expect([again.status, again.body.title]).toEqual([401, 'invalid_credentials'])
  const cleared = [...cookiesOf(again).values()]
  expect(cleared.map(({ value, attributes }) => [value, attributes.includes('Max-Age=0')])).toEqual([
    ['', true],
    ['', true],
  ])
  expect((await refresh(second)).status).toBe(401)
})

test('a browser inactive for longer than the idle timeout and a token cannot refresh', async () => {
  const cookie = await begin()
  const age = (seconds: number) =>
    service.db.raw(
      `update refresh_tokens set created_at = now() - make_interval(secs => ?)
       where used_at is null and subscription_id = ?`,
      [seconds, tenant.subscriptionId],
    )
  await age(2_400)
  expect((await refresh(cookie)).status).toBe(401)
  await age(2_380)
  expect((await refresh(cookie)).status).toBe(200)
})

test("a refresh token works only where it was issued: a browser's in its cookie, a program's in the body", async () => {
  const cookie = await begin()
  const ofBrowser = cookie.split(`${REFRESH_COOKIE}=`)[1]
  const login = await attemptLogin(service.url, tenant.userEmail)
  const ofProgram = login.body.refresh_token
  const asProgram = (refresh_token: unknown) =>
    call(service.url, 'POST', '/api/account/v1/refresh', { body: { refresh_token } })
  expect((await asProgram(ofBrowser)).body.title).toBe('invalid_credentials')
  expect((await refresh(`${REFRESH_COOKIE}=${ofProgram}`)).body.title).toBe('invalid_credentials')
  // neither attempt used the token up
  expect((await refresh(cookie)).status).toBe(200)
  expect((await asProgram(ofProgram)).status).toBe(200)
})

test('signing out revokes the refresh cookie at once and the token soon, and removes the cookies', async () => {
  const cookie = await begin()
  const other = await begin()
  const answer = await end(cookie)
  expect(answer.status).toBe(204)
  expect([...cookiesOf(answer).values()].map(({ value }) => value)).toEqual(['', ''])
  expect((await refresh(cookie)).status).toBe(401)
  await vi.waitFor(async () => expect((await show(cookie)).status).toBe(401), { timeout: 5_000 })
  expect((await show(other)).status).toBe(200)
  expect((await end('')).status).toBe(204)
})

test('a sign-in ends the session that the browser had before, and no other one', async () => {
  const [before, other] = [await begin(), await begin()]
  const answer = await attempt(tenant.userEmail, PASSWORD, { ...FROM_PORTAL, Cookie: before })
  expect(answer.status).toBe(200)
  expect((await refresh(before)).status).toBe(401)
  expect((await refresh(other)).status).toBe(200)
  expect((await refresh(sentAfter(answer))).status).toBe(200)
})

describe('short tokens', () => {
  test('an expired token is rejected, and the refresh cookie continues its session', async () => {
    const short = await startService({ worker: false, browserTimes: { tokenSeconds: 1, idleSeconds: 5 } })
    try {
      const { userEmail } = await short.openTenant()
      const headers = FROM_PORTAL
      const answer = await call(short.url, 'POST', SESSION, {
        body: { userEmail, password: PASSWORD },
        headers,
      })
      expect(answer.body.idleSeconds).toBe(5)
      const cookie = sentAfter(answer)
      await delay(4_200) // what was learnt of a token is believed for 3 s
      const cookies = { headers: { ...headers, Cookie: cookie } }
      expect((await call(short.url, 'GET', SESSION, cookies)).status).toBe(401)
      expect((await call(short.url, 'POST', `${SESSION}/refresh`, cookies)).status).toBe(200)
    } finally {
      await short.stop()
    }
  })
})

test('sessions of a disabled user or a suspended subscription cannot be refreshed', async () => {
  const admin = `admin-${crypto.randomUUID()}@lender.example`
  const { subscriptionId } = tenant
  await addUser(service.db, subscriptionId, admin, 'admin')
  const cookie = await begin({ userEmail: admin })
  await suspendSubscription(service.db, subscriptionId, true)
  expect((await refresh(cookie)).status).toBe(401)
  await vi.waitFor(async () => expect((await show(cookie)).body.title).toBe('subscription_suspended'), {
    timeout: 5_000,
  })
  await suspendSubscription(service.db, subscriptionId, false)

  const next = await begin({ userEmail: admin })
  await service.db('users').where({ email: admin }).update({ disabled_at: new Date() })
  expect((await refresh(next)).status).toBe(401)
  await vi.waitFor(async () => expect((await show(next)).body.title).toBe('unauthenticated'), {
    timeout: 5_000,
  })
})
