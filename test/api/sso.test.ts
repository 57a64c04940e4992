import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decideSignIn } from '../../api/account/sign-in.ts'
import { openFetchProvider } from '../../api/sso/fetch-provider.ts'
import { listUsersByEmail } from '../../db/accounts/users.ts'
import { makeWrappingJwk, wrappingKeysOf } from '../../db/encryption/wrapping-keys.ts'
import { openMayConnect } from '../../db/runtime/outside-addresses.ts'
import { openReach } from '../../db/runtime/reach.ts'
import { confirmSsoDomain } from '../../db/sign-in/sso-connections.ts'
import { anActor } from '../support/actors.ts'
import { type Answer, attemptLogin, call, logIn } from '../support/client.ts'
import { addUser, PASSWORD, type Service, startService, type Tenant } from '../support/service.ts'
import { type CookieBrowser, openCookieBrowser } from '../support/sso/cookie-browser.ts'
import { CLIENT, type Lies, type LyingProvider, openLyingProvider } from '../support/sso/lying-provider.ts'
import { openOidcProvider } from '../support/sso/open-oidc-provider.ts'

let service: Service
let provider: LyingProvider

beforeAll(async () => {
  service = await startService({ worker: false, wrappingKeys: wrappingKeysOf([makeWrappingJwk()]) })
  provider = await openLyingProvider({ end_session_endpoint: 'https://login.example/end' })
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await service.stop()
})

/** A subscription with an admin, and a domain of its own. */
interface Lender extends Tenant {
  readonly admin: string
  readonly adminId: number
  readonly token: string
  readonly domain: string
}

async function openLender(): Promise<Lender> {
  const tenant = await service.openTenant()
  const domain = `lender-${tenant.subscriptionId}.example`
  const admin = `ann@${domain}`
  const adminId = await addUser(service.db, tenant.subscriptionId, admin, 'admin')
  return { ...tenant, admin, adminId, domain, token: await logIn(service.url, { userEmail: admin }) }
}

const settingsOf = ({ domain }: Lender, change: object = {}) => ({
  ...{ issuer: provider.issuer, ...CLIENT, scopes: [], domains: [domain] },
  ...{ roleClaim: null, roles: {}, defaultRole: 'analyst', createsUsers: true },
  ...{ trustsEmails: false, trustsFactors: false, passwordLogin: true },
  ...change,
})

const put = (lender: Lender, change: object = {}) =>
  call(service.url, 'PUT', '/api/sso/v1', { token: lender.token, body: settingsOf(lender, change) })

/** A lender with single sign-on. */
async function openSso(change: object = {}): Promise<Lender & { readonly signInUrl: string }> {
  const lender = await openLender()
  const { status, body } = await put(lender, change)
  expect([status, body]).toMatchObject([200, { connection: { domains: [{ confirmed: false }] } }])
  return { ...lender, signInUrl: body.signInUrl }
}

const outcome = ({ status, body }: Answer) => (status < 400 ? status : `${status} ${body.title}`)

/** An address of the service as it is reachable here. */
const here = (url: string | URL) => {
  const { pathname, search, hash } = new URL(url, service.url)
  return `${service.url}${pathname}${search}${hash}`
}

/** The claims of a person at the provider. */
const person = (email: string, claims: object = {}) => ({
  ...{ sub: `subject of ${email}`, email, email_verified: true },
  ...claims,
})

/** What the portal says after the callback. */
const outcomeOf = (location: string) => new URL(location).searchParams.get('sso')

/** Signs in by the lying provider. @returns what the portal says, and where the browser is led. */
async function signIn(
  { signInUrl }: { signInUrl: string },
  claims: Readonly<Record<string, unknown>>,
  { lies, browser = openCookieBrowser() }: { lies?: Lies; browser?: CookieBrowser } = {},
) {
  const { location } = await browser.open(here(signInUrl))
  const callback = provider.answer(location, claims, lies)
  const end = await browser.open(here(callback))
  return { said: outcomeOf(end.location), location: end.location, callback, browser }
}

const showSession = async (browser: CookieBrowser) =>
  (await browser.ask(here('/api/account/v1/session'), 'GET')).body

/** The newest sign-in event of a subscription. */
async function lastEvent({ subscriptionId }: Tenant, action = 'session.login') {
  await service.flushCounts()
  return service
    .db('audit_events')
    .where({ subscription_id: subscriptionId, action })
    .orderBy('id', 'desc')
    .first('actor', 'actor_id', 'detail', 'outcome')
}

const findUser = (email: string) => service.db('users').where({ email }).first()

describe('with a real provider', () => {
  test('the first sign-in creates the user, each takes over the role, and the user signs out and steps up there', async () => {
    const lender = await openLender()
    const { body: shown } = await call(service.url, 'GET', '/api/sso/v1', { token: lender.token })
    expect(shown.connection).toBeNull()
    await using real = await openOidcProvider(shown)
    const roles = { risk: 'admin' }
    const saved = await put(lender, {
      issuer: real.issuer,
      ...{ scopes: ['groups'], roleClaim: 'groups', roles, defaultRole: null },
    })
    expect(outcome(saved)).toBe(200)
    expect(JSON.stringify(saved.body)).not.toContain(CLIENT.clientSecret)
    const { client_secret: stored } = await service
      .db('sso_connections')
      .where({ subscription_id: lender.subscriptionId })
      .first()
    expect(stored.toString('latin1')).not.toContain(CLIENT.clientSecret)

    const browser = openCookieBrowser()
    const name = `risk+1@${lender.domain}`
    expect(await signInAt(browser, here(`${shown.signInUrl}&next=/scorecards`), name)).toBe(
      'https://inkling.example/login?sso=done&next=%2Fscorecards'.replace(
        'https://inkling.example',
        service.url,
      ),
    )
    expect(await showSession(browser)).toMatchObject({ email: name, role: 'admin', singleSignOn: true })
    const [session] = await service.db('sessions').where({ user_id: (await findUser(name)).id })
    expect(session.method).toBe('sso')
    expect(await lastEvent(lender)).toMatchObject({
      actor: name,
      detail: { method: 'sso' },
      outcome: 'success',
    })
    expect(await lastEvent(lender, 'user.create')).toMatchObject({
      actor: 'single sign-on',
      detail: { role: 'admin' },
    })

    // an admin's role is taken away at the provider
    await put(lender, {
      issuer: real.issuer,
      ...{ scopes: ['groups'], roleClaim: 'groups', roles: { people: 'analyst' }, defaultRole: null },
    })
    const again = openCookieBrowser()
    expect(outcomeOf(await signInAt(again, here(shown.signInUrl), name))).toBe('done')
    expect(await showSession(again)).toMatchObject({ email: name, role: 'analyst' })

    // step-up
    const { id } = await service
      .db('sessions')
      .where({ user_id: (await findUser(name)).id })
      .orderBy('created_at', 'desc')
      .first()
    const letTimePass = () =>
      service
        .db('sessions')
        .where({ id })
        .update({ authenticated_at: new Date(Date.now() - 3_600_000) })
    await letTimePass()
    const factors = () => again.ask(here('/api/account/v1/factors/totp'))
    const { body: refused } = await factors()
    expect(refused).toMatchObject({ title: 'step_up_required', ways: ['sso'] })
    const { body: begun } = await again.ask(here('/api/account/v1/step-up/sso'))
    expect(new URL(begun.url).searchParams.get('prompt')).toBe('login')
    expect(await signInAt(again, begun.url, name)).toBe(`${service.url}/confirmed`)
    expect((await factors()).status).toBe(200)
    expect(await lastEvent(lender, 'session.step_up')).toMatchObject({ actor: name, outcome: 'success' })

    // somebody else's sign-in is no step-up
    await letTimePass()
    again.forget(real.issuer)
    const { body: other } = await again.ask(here('/api/account/v1/step-up/sso'))
    const elsewhere = await signInAt(again, other.url, `risk+2@${lender.domain}`)
    expect(elsewhere).toBe(`${service.url}/confirmed?sso=denied`)
    expect((await factors()).status).toBe(401)

    const { body: end } = await again.ask(here('/api/account/v1/sso/sign-out'))
    expect(end).toEqual({ signOutUrl: expect.any(String) })
    const address = new URL(end.signOutUrl)
    expect(address.origin).toBe(real.issuer)
    expect(address.searchParams.get('id_token_hint')).toMatch(/^eyJ/)
    expect((await again.open(address)).status).toBe(200)
  })
})

/** Signs in on the pages of the real provider. @returns where the browser is led in the end. */
async function signInAt(browser: CookieBrowser, url: string, name: string): Promise<string> {
  let page = await browser.open(url)
  for (let step = 0; step < 12; step++) {
    const next = page.location === '' ? '' : page.location.replace('https://inkling.example', service.url)
    if (/\/(login|confirmed)\b/.test(next) && next.startsWith(service.url)) return next
    if (next !== '') {
      page = await browser.open(next)
      continue
    }
    const action = /action="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const prompt = /name="prompt" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    page = await browser.open(action, { prompt, login: name, password: 'any' })
  }
  throw new Error(`The sign-in does not end: ${page.text}`)
}

describe('an answer that is not valid', () => {
  let lender: Awaited<ReturnType<typeof openSso>>
  beforeAll(async () => {
    lender = await openSso()
  })

  const CASES: [name: string, said: string, reason: string, claims: object, lies: Lies][] = [
    ['of another issuer', 'invalid', 'sso_invalid', {}, { claims: { iss: 'https://other.example' } }],
    ['for another audience', 'invalid', 'sso_invalid', {}, { claims: { aud: 'another client' } }],
    [
      'for several audiences',
      'invalid',
      'sso_invalid',
      {},
      { claims: { aud: [CLIENT.clientId, 'another'] } },
    ],
    ['for another authorized party', 'invalid', 'sso_invalid', {}, { claims: { azp: 'another client' } }],
    ['with another nonce', 'invalid', 'sso_invalid', {}, { claims: { nonce: 'of another sign-in' } }],
    ['without a nonce', 'invalid', 'sso_invalid', {}, { claims: { nonce: undefined } }],
    ['that has expired', 'invalid', 'sso_invalid', {}, { clock: -400 }],
    ['signed by another key', 'invalid', 'sso_invalid', {}, { isForged: true }],
    ['by another provider (mix-up)', 'invalid', 'sso_invalid', {}, { iss: 'https://other.example' }],
    ['about an e-mail that is not verified', 'denied', 'sso_email', { email_verified: false }, {}],
    ['without a word on the e-mail', 'denied', 'sso_email', { email_verified: undefined }, {}],
    ['about an e-mail of another domain', 'denied', 'sso_domain', { email: 'ann@other.example' }, {}],
  ]
  test.each(CASES)('%s signs nobody in', async (_, said, reason, claims, lies) => {
    const users = await service.db('users').count()
    const { said: shown, browser } = await signIn(lender, person(lender.admin, claims), { lies })
    expect(shown).toBe(said)
    expect(await showSession(browser)).toMatchObject({ title: 'unauthenticated' })
    const event = await lastEvent(lender)
    expect(event.detail).toMatchObject({ method: 'sso', reason })
    expect(event.outcome).not.toBe('success')
    expect(await service.db('users').count()).toEqual(users)
    expect(await service.db('sso_identities').where({ subscription_id: lender.subscriptionId })).toEqual([])
  })

  test('by a clock that is wrong by less than a minute is valid', async () => {
    expect((await signIn(lender, person(`bob@${lender.domain}`), { lies: { clock: -340 } })).said).toBe(
      'done',
    )
    expect((await signIn(lender, person(`bob@${lender.domain}`), { lies: { clock: 40 } })).said).toBe('done')
  })

  test('counts once, in the browser that began, at the connection that began', async () => {
    const { said, callback, browser } = await signIn(lender, person(`bob@${lender.domain}`))
    expect(said).toBe('done')
    expect(outcomeOf((await browser.open(here(callback))).location)).toBe('expired')

    const [one, other] = [openCookieBrowser(), openCookieBrowser()]
    const begun = await one.open(here(lender.signInUrl))
    const answered = here(provider.answer(begun.location, person(`bob@${lender.domain}`)))
    await other.open(here(lender.signInUrl))
    expect(outcomeOf((await other.open(answered)).location)).toBe('expired')
    expect(outcomeOf((await openCookieBrowser().open(answered)).location)).toBe('expired')
    const second = await openSso()
    const elsewhere = new URL(answered)
    elsewhere.pathname = elsewhere.pathname.replace(
      /[^/]+$/,
      new URL(second.signInUrl).searchParams.get('connection') ?? '',
    )
    expect(outcomeOf((await one.open(elsewhere)).location)).toBe('expired')
    expect(outcomeOf((await one.open(answered)).location)).toBe('done')
    expect(await lastEvent(lender)).toMatchObject({ outcome: 'success' })
  })

  test('a code is worth nothing with the answer to another sign-in, and two answers at once sign in once', async () => {
    const browser = openCookieBrowser()
    const first = provider.answer(
      (await browser.open(here(lender.signInUrl))).location,
      person('eve@evil.example'),
    )
    const callback = provider.answer(
      (await browser.open(here(lender.signInUrl))).location,
      person(`bob@${lender.domain}`),
    )
    const mixed = new URL(callback)
    mixed.searchParams.set('code', first.searchParams.get('code') ?? '')
    expect(outcomeOf((await browser.open(here(mixed))).location)).toBe('invalid')

    const other = openCookieBrowser()
    const answer = provider.answer(
      (await other.open(here(lender.signInUrl))).location,
      person(`bob@${lender.domain}`),
    )
    const ends = await Promise.all([other.open(here(answer)), other.open(here(answer))])
    expect(ends.map(({ location }) => outcomeOf(location)).toSorted()).toEqual(['done', 'expired'])
  })

  test('an error of the provider is shown on the sign-in page', async () => {
    const browser = openCookieBrowser()
    const { location } = await browser.open(here(lender.signInUrl))
    const callback = provider.answer(location, {})
    callback.searchParams.delete('code')
    callback.searchParams.set('error', 'access_denied')
    expect(outcomeOf((await browser.open(here(callback))).location)).toBe('denied')
    expect((await lastEvent(lender)).detail).toMatchObject({
      reason: 'sso_refused',
      problem: 'access_denied',
    })
  })
})

describe('who is signed in', () => {
  test('a user of the e-mail is linked once; afterwards the subject counts, not the e-mail', async () => {
    const lender = await openSso({ createsUsers: false })
    expect((await signIn(lender, person(`nobody@${lender.domain}`))).said).toBe('denied')
    expect(await lastEvent(lender)).toMatchObject({
      actor: `nobody@${lender.domain}`,
      detail: { reason: 'sso_user' },
    })
    const { said, browser } = await signIn(lender, person(lender.admin.toUpperCase(), { sub: 'ann' }))
    expect(said).toBe('done')
    expect(await showSession(browser)).toMatchObject({ userId: lender.adminId, role: 'admin' })
    const renamed = await signIn(lender, person('ann@new.example', { sub: 'ann', email_verified: false }))
    expect(await showSession(renamed.browser)).toMatchObject({ userId: lender.adminId })
    // who gets the e-mail of somebody else at the provider does not get their user
    expect((await signIn(lender, person(lender.admin, { sub: 'new ann' }))).said).toBe('denied')
    expect((await lastEvent(lender)).detail).toMatchObject({ reason: 'sso_identity' })
    await service.db('users').where({ id: lender.adminId }).update({ disabled_at: new Date() })
    expect((await signIn(lender, person(lender.admin, { sub: 'ann' }))).said).toBe('denied')
    expect((await lastEvent(lender)).detail).toMatchObject({ reason: 'sso_disabled' })
  })

  test("an e-mail of another tenant's user is a user of one's own, and a domain of theirs changes nothing for them", async () => {
    const [ann, bob] = [await openLender(), await openSso()]
    const taken = await put(bob, { domains: [bob.domain, ann.domain], passwordLogin: true })
    expect(outcome(taken)).toBe(200)
    const { said, browser } = await signIn(bob, person(ann.admin))
    expect(said).toBe('done')
    expect(await showSession(browser)).toMatchObject({ subscription: bob.name, role: 'analyst' })
    expect((await service.db('users').where({ email: ann.admin })).length).toBe(2)
    // without the operator's word, an e-mail does not lead to the provider of whoever claims its domain
    const start = `/api/account/v1/sso/start?domain=${ann.domain}`
    expect(outcomeOf((await openCookieBrowser().open(here(start))).location)).toBe('unknown')
    expect(outcome(await attemptLogin(service.url, ann.admin))).toBe(200)
  })

  test('the last admin stays one, and a value of no role is refused', async () => {
    const lender = await openSso()
    const claims = {
      roleClaim: 'realm_access.roles',
      roles: { staff: 'analyst', chief: 'admin' },
      defaultRole: null,
    }
    expect(outcome(await put(lender, claims))).toBe(200)
    const roles = (...values: string[]) => ({ realm_access: { roles: values } })
    expect((await signIn(lender, person(lender.admin, roles('guest')))).said).toBe('denied')
    expect((await lastEvent(lender)).detail).toMatchObject({ reason: 'sso_role' })
    const { browser } = await signIn(lender, person(lender.admin, roles('staff')))
    expect(await showSession(browser)).toMatchObject({ role: 'admin' })
    expect(await lastEvent(lender, 'user.role')).toMatchObject({
      detail: { reason: 'last_admin' },
      outcome: 'denied',
    })
    const chief = await signIn(lender, person(`bob@${lender.domain}`, roles('staff', 'chief')))
    expect(await showSession(chief.browser)).toMatchObject({ role: 'admin' })
    const demoted = await signIn(lender, person(lender.admin, roles('staff')))
    expect(await showSession(demoted.browser)).toMatchObject({ role: 'analyst' })
  })

  test('an e-mail without email_verified counts where the settings trust it; a denied one never', async () => {
    const lender = await openSso({ trustsEmails: true })
    const says = async (verified: unknown) =>
      (await signIn(lender, person(`bob@${lender.domain}`, { email_verified: verified }))).said
    expect([await says(false), await says(undefined)]).toEqual(['denied', 'done'])
  })
})

test('a step-up is a sign-in of now, not an earlier one at the provider', async () => {
  const lender = await openSso()
  const { browser } = await signIn(lender, person(lender.admin))
  const stepUp = async (claims: object) => {
    const { body } = await browser.ask(here('/api/account/v1/step-up/sso'))
    const callback = provider.answer(body.url, person(lender.admin), { claims: { ...claims } })
    return (await browser.open(here(callback))).location
  }
  const seconds = Math.floor(Date.now() / 1_000)
  expect(await stepUp({ auth_time: seconds - 300 })).toBe(`${service.url}/confirmed?sso=invalid`)
  expect(await stepUp({ auth_time: undefined })).toBe(`${service.url}/confirmed?sso=invalid`)
  expect(await stepUp({ auth_time: seconds })).toBe(`${service.url}/confirmed`)
})

describe('second factors', () => {
  test('the provider checks one, or the user of one here is asked for it', async () => {
    const lender = await openSso()
    await service
      .db('subscriptions')
      .where({ id: lender.subscriptionId })
      .update({ factors_required: 'everybody' })
    const plain = await signIn(lender, person(lender.admin))
    expect(await showSession(plain.browser)).toMatchObject({ factorMissing: true })
    const strong = await signIn(lender, person(lender.admin, { amr: ['pwd', 'mfa'] }))
    expect(await showSession(strong.browser)).toMatchObject({ factorMissing: false })

    const { body: begun } = await strong.browser.ask(here('/api/account/v1/factors/totp'))
    const totp = new TOTP({ secret: Secret.fromBase32(begun.secret) })
    const { id, secret } = { id: crypto.randomUUID(), secret: Buffer.from(totp.secret.buffer) }
    const row = { subscription_id: lender.subscriptionId, user_id: lender.adminId, kind: 'totp', name: 'App' }
    await service.db('factors').insert({ ...row, id, secret, last_step: 0 })
    const asked = await signIn(lender, person(lender.admin))
    expect(asked.said).toBe('factor')
    expect((await showSession(asked.browser)).title).toBe('unauthenticated')
    const { hash } = new URL(asked.location)
    const { challenge, factors } = JSON.parse(Buffer.from(hash.slice(1), 'base64url').toString())
    expect(factors).toEqual(['totp'])
    const answer = await call(service.url, 'POST', '/api/account/v1/login/factor', {
      body: { challenge, totp: totp.generate() },
    })
    expect(outcome(answer)).toBe(200)
    const last = await service
      .db('sessions')
      .where({ user_id: lender.adminId })
      .orderBy('created_at', 'desc')
      .first()
    expect(last.method).toBe('sso+mfa')
    expect(outcome(await put(lender, { trustsFactors: true }))).toBe(200)
    expect((await signIn(lender, person(lender.admin))).said).toBe('done')
  })
})

describe('passwords switched off', () => {
  test('need a sign-in of the admin by the settings as they are, and then no longer sign in', async () => {
    const lender = await openSso()
    const off = { passwordLogin: false, clientSecret: undefined }
    const bob = `bob@${lender.domain}`
    await addUser(service.db, lender.subscriptionId, bob, 'analyst')
    const outside = `partner-${lender.subscriptionId}@other.example`
    await addUser(service.db, lender.subscriptionId, outside, 'admin')
    expect(outcome(await put(lender, off))).toBe('409 conflict')
    expect((await signIn(lender, person(bob))).said).toBe('done')
    expect(outcome(await put(lender, off))).toBe('409 conflict')
    const { browser } = await signIn(lender, person(lender.admin))
    // other settings are not those of the sign-in
    expect(outcome(await put(lender, { ...off, trustsEmails: true }))).toBe('409 conflict')
    const bobsToken = await logIn(service.url, { userEmail: bob })
    expect(outcome(await put(lender, off))).toBe(200)
    expect((await showSession(browser)).email).toBe(lender.admin)
    await expect
      .poll(
        async () => outcome(await call(service.url, 'GET', '/api/account/v1/session', { token: bobsToken })),
        {
          timeout: 8_000,
        },
      )
      .toBe('401 unauthenticated')
    expect(outcome(await put(lender, { ...off, clientId: 'another' }))).toBe('409 conflict')

    // nor do its passkeys sign in, nor its password confirm who it is
    const [user] = await listUsersByEmail(service.db, { email: bob, limit: 1 })
    expect(user && decideSignIn([user])).toMatchObject({ outcome: 'sso_required' })
    const state = await call(service.url, 'POST', '/api/account/v1/step-up', {
      token: lender.token,
      body: { password: PASSWORD },
    })
    expect(outcome(state)).toBe('400 validation_failed')

    // of a named subscription, the answer depends on the domain alone
    const attempt = (userEmail: string, password: string, subscription?: string) =>
      call(service.url, 'POST', '/api/account/v1/login', {
        body: { userEmail, password, ...(subscription && { subscription }) },
      })
    const nobody = `nobody@${lender.domain}`
    const essence = ({ status, body: { traceId, ...body } }: Answer) => ({ status, body })
    const answers = [
      await attempt(bob, PASSWORD, lender.name),
      await attempt(bob, 'wrong', lender.name),
      await attempt(nobody, 'wrong', lender.name),
    ].map(essence)
    const id = new URL(lender.signInUrl).searchParams.get('connection')
    const required = { title: 'sso_required', signInUrl: `/api/account/v1/sso/start?connection=${id}` }
    expect(answers[0]).toMatchObject({ status: 403, body: required })
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
    // without a name, only once the operator has confirmed whose domain it is
    expect(outcome(await attempt(bob, PASSWORD))).toBe('401 invalid_credentials')
    await confirmSsoDomain(service.db, {
      ...{ subscriptionId: lender.subscriptionId, domain: lender.domain },
      actor: anActor('the operator'),
    })
    expect(essence(await attempt(bob, PASSWORD))).toEqual(answers[0])
    expect(essence(await attempt(nobody, PASSWORD))).toEqual(answers[0])
    expect(outcome(await attempt(outside, PASSWORD))).toBe(200)
    const start = `/api/account/v1/sso/start?domain=${lender.domain}`
    expect((await openCookieBrowser().open(here(start))).location).toContain(provider.issuer)
    expect(await lastEvent(lender, 'sso.change')).toMatchObject({ actor: lender.admin })

    // a domain of several subscriptions leads nowhere without the name of one
    const second = await openSso()
    expect(outcome(await put(second, { domains: [second.domain, lender.domain] }))).toBe(200)
    await confirmSsoDomain(service.db, {
      ...{ subscriptionId: second.subscriptionId, domain: lender.domain },
      actor: anActor('the operator'),
    })
    expect(outcomeOf((await openCookieBrowser().open(here(start))).location)).toBe('choose')
    const named = await openCookieBrowser().open(
      here(`${start}&subscription=${encodeURIComponent(second.name)}`),
    )
    expect(named.location).toContain(provider.issuer)
  })

  test('single sign-on stays while no admin has a password', async () => {
    const lender = await openSso()
    await signIn(lender, person(lender.admin))
    await service.db('users').where({ id: lender.adminId }).update({ password_hash: null })
    const remove = () => call(service.url, 'DELETE', '/api/sso/v1', { token: lender.token })
    expect(outcome(await remove())).toBe('409 conflict')
    await addUser(service.db, lender.subscriptionId, `another-${lender.admin}`, 'admin')
    expect(outcome(await remove())).toBe(204)
    expect(outcomeOf((await openCookieBrowser().open(here(lender.signInUrl))).location)).toBe('unknown')
  })
})

describe('a provider that cannot be used', () => {
  test.each([
    ['slow', /took longer than 5 s/],
    ['huge', /larger than 256 KB/],
    ['redirecting', /status/],
  ] as const)('because it is %s is refused when it is set up', async (behaviour, says) => {
    await using other = await openLyingProvider()
    other.behave(behaviour)
    const answer = await put(await openLender(), { issuer: other.issuer })
    expect(outcome(answer)).toBe('400 validation_failed')
    expect(answer.body.errors.issuer[0]).toMatch(says)
  })

  test('or that has gone ends a sign-in on the page of the portal', async () => {
    const other = await openLyingProvider()
    const lender = await openSso({ issuer: other.issuer })
    await other[Symbol.asyncDispose]()
    // the settings are read anew
    await service
      .db('sso_connections')
      .where({ subscription_id: lender.subscriptionId })
      .update({ configured_at: new Date() })
    expect(outcomeOf((await openCookieBrowser().open(here(lender.signInUrl))).location)).toBe('unavailable')
    expect((await lastEvent(lender)).detail).toMatchObject({ reason: 'sso_unavailable' })
  })

  test.each([
    ['calls itself otherwise', { issuer: 'https://other.example' }, /issuer/],
    [
      'signs in at no HTTPS address',
      { authorization_endpoint: 'javascript:alert(1)' },
      /authorization_endpoint/,
    ],
    [
      'signs out at no HTTPS address',
      { end_session_endpoint: 'javascript:alert(1)' },
      /end_session_endpoint/,
    ],
  ])('or that %s is refused', async (_, metadata, says) => {
    await using other = await openLyingProvider(metadata)
    const answer = await put(await openLender(), { issuer: other.issuer })
    expect(answer.body.errors.issuer[0]).toMatch(says)
  })
})

describe('in production', () => {
  test('only addresses of the Internet are called, and those that the operator permits', async () => {
    const mayConnect = openMayConnect(['10.20.0.0/16', 'fd00::1'])
    const permitted = ['8.8.8.8', '2606:4700::1111', '10.20.3.4', 'fd00::1']
    const refused = [
      ...['127.0.0.1', '10.21.0.1', '169.254.169.254', '192.168.1.1', '172.31.0.1', '100.64.0.1', '0.0.0.0'],
      ...[
        '::1',
        '::ffff:127.0.0.1',
        'fe80::1',
        'fd00::2',
        '64:ff9b::7f00:1',
        '2002:7f00:1::',
        '255.255.255.255',
      ],
    ]
    expect(permitted.filter((address) => !mayConnect(address))).toEqual([])
    expect(refused.filter(mayConnect)).toEqual([])

    const fetchProvider = openFetchProvider(openReach([]))
    const refusal = (url: string) =>
      fetchProvider(url, { method: 'GET', headers: {} }).then(
        () => 'called',
        (error: Error) => error.message,
      )
    expect(await refusal(provider.issuer)).toMatch(/not an HTTPS address/)
    const { port } = new URL(provider.issuer)
    // a name and an address, as the check is of the address that is called
    for (const host of ['localhost', '127.0.0.1', '[::ffff:7f00:1]', '2130706433'])
      expect(await refusal(`https://${host}:${port}/`)).toMatch(/not an address of the Internet/)
  })
})
