import { hash } from '@node-rs/argon2'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashPassword } from '../../api/account/password-hashing.ts'
import { suspendSubscription } from '../../db/accounts/subscriptions.ts'
import { type Answer, attemptLogin, call, readInsight } from '../support/client.ts'
import { addUser, PASSWORD, type Service, startService } from '../support/service.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ worker: false, trustedProxies: ['127.0.0.1'] })
})
afterAll(() => service.stop())

/** Each test calls from an address of its own: failed attempts are counted by address, too. */
const from = (address: string) => ({ 'X-Real-IP': address })

const fail = (userEmail: string, address: string): Promise<Answer> =>
  attemptLogin(service.url, userEmail, 'a wrong password', from(address))

/** What a client sees, but for what differs between any two answers. */
function essence({ status, headers, body: { traceId: _, ...body } }: Answer) {
  const { date, 'x-request-id': id, ...rest } = Object.fromEntries(headers)
  return { status, headers: rest, body }
}

test('a login returns a bearer token with its times, and a refresh token', async () => {
  const { userEmail } = await service.openTenant()
  const before = Math.floor(Date.now() / 1_000) * 1_000
  const { status, headers, body } = await attemptLogin(service.url, userEmail)
  const after = Date.now()

  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['access_token', 'token_type', '.issued', '.expires', 'refresh_token'])
  expect(body.token_type).toBe('bearer')
  expect(body['.issued']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  expect(body['.expires']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
  const issuedAt = Date.parse(body['.issued'])
  expect(issuedAt).toBeGreaterThanOrEqual(before)
  expect(issuedAt).toBeLessThanOrEqual(after)
  expect(Date.parse(body['.expires']) - issuedAt).toBe(60 * 60_000)
  expect(headers.get('cache-control')).toBe('no-store')
})

test('the login token is a JWT signed with EdDSA that names its user and expires in 60 minutes', async () => {
  const { userEmail, subscriptionId } = await service.openTenant()
  const { body } = await attemptLogin(service.url, userEmail)
  const [{ id }] = await service.db('users').where({ email: userEmail }).select('id')

  const [{ kid }] = service.signingKeys
  expect(decodeProtectedHeader(body.access_token)).toEqual({ alg: 'EdDSA', typ: 'JWT', kid })
  const claims = decodeJwt(body.access_token)
  expect(claims).toMatchObject({ sub: String(id), subscription: subscriptionId })
  expect(claims.iss).toBeTruthy()
  expect(claims.aud).toBeTruthy()
  expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3_600)
  expect(claims.exp).toBe(Date.parse(body['.expires']) / 1_000)
  expect(JSON.stringify(claims)).not.toContain(userEmail)
})

test('the login token lets its user read insights', async () => {
  const { body } = await attemptLogin(service.url, (await service.openTenant()).userEmail)
  const { body: problem } = await readInsight(service.url, body.access_token, 'none')
  expect(problem.title).toBe('dataset_not_found')
})

test('the e-mail is case-insensitive, and surrounding white space is ignored', async () => {
  const { userEmail } = await service.openTenant()
  const { status } = await attemptLogin(service.url, `  ${userEmail.toUpperCase()} `)
  expect(status).toBe(200)
})

test('the password is compared exactly', async () => {
  const { userEmail } = await service.openTenant()
  for (const password of [PASSWORD.toUpperCase(), `${PASSWORD} `, PASSWORD.slice(0, -1)]) {
    const { status } = await attemptLogin(service.url, userEmail, password, from('198.51.100.1'))
    expect(status, password).toBe(401)
  }
})

test('an unknown e-mail, a wrong password and a disabled user get the same response', async () => {
  const [known, disabled] = [await service.openTenant(), await service.openTenant()]
  await service.db('users').where({ email: disabled.userEmail }).update({ disabled_at: new Date() })

  const wrong = await fail(known.userEmail, '198.51.100.2')
  expect(wrong.status).toBe(401)
  expect(wrong.body.title).toBe('invalid_credentials')
  expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer /)
  expect(essence(await fail('nobody@lender.example', '198.51.100.2'))).toEqual(essence(wrong))
  const locked = await attemptLogin(service.url, disabled.userEmail, PASSWORD, from('198.51.100.2'))
  expect(essence(locked)).toEqual(essence(wrong))
})

test('the response time does not distinguish an unknown e-mail from a wrong password', async () => {
  const { userEmail } = await service.openTenant()
  const { userEmail: disabled } = await service.openTenant()
  await service.db('users').where({ email: disabled }).update({ disabled_at: new Date() })
  const times = { wrong: [] as number[], unknown: [] as number[], disabled: [] as number[] }
  for (let n = 0; n < 40; n++) {
    // the throttle answers after ten; all wait for it alike, so that the time of its work is part of what is compared
    await service.db('login_attempts').del()
    const emails = { wrong: userEmail, unknown: `nobody${n}@lender.example`, disabled }
    for (const kind of shuffled(['wrong', 'unknown', 'disabled'] as const)) {
      const startedAt = performance.now()
      await fail(emails[kind], '198.51.100.3')
      times[kind].push(performance.now() - startedAt)
    }
  }
  // how often one takes longer than the other: 0.5 by chance, give or take 0.07; without a password check, it is 0 or 1
  expect(shareOfGreater(times.unknown, times.wrong)).toBeGreaterThan(0.2)
  expect(shareOfGreater(times.unknown, times.wrong)).toBeLessThan(0.8)
  expect(shareOfGreater(times.disabled, times.wrong)).toBeGreaterThan(0.2)
  expect(shareOfGreater(times.disabled, times.wrong)).toBeLessThan(0.8)
})

const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((item) => [Math.random(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item)

/** The share of pairs in which the one of `a` is greater. @see Mann and Whitney, 1947 */
function shareOfGreater(a: readonly number[], b: readonly number[]): number {
  const greater = a.flatMap((x) => b.filter((y) => x > y)).length
  const equal = a.flatMap((x) => b.filter((y) => x === y)).length
  return (greater + equal / 2) / (a.length * b.length)
}

test('only a correct password reveals a suspended subscription, until it is resumed', async () => {
  const { subscriptionId, userEmail } = await service.openTenant()
  await suspendSubscription(service.db, subscriptionId, true)
  const { status, body } = await attemptLogin(service.url, userEmail)
  expect([status, body.title]).toEqual([400, 'subscription_suspended'])
  expect((await fail(userEmail, '198.51.100.4')).body.title).toBe('invalid_credentials')

  await suspendSubscription(service.db, subscriptionId, false)
  expect((await attemptLogin(service.url, userEmail)).status).toBe(200)
})

test.each(['a user', 'nobody'])('after ten failures, %s is blocked whatever the password', async (who) => {
  const { userEmail } = who === 'a user' ? await service.openTenant() : { userEmail: 'no.one@lender.example' }
  const failures = await Promise.all(Array.from({ length: 10 }, () => fail(userEmail, '198.51.100.5')))
  expect(failures.map(({ status }) => status)).toEqual(Array(10).fill(401))

  const { status, headers, body } = await attemptLogin(service.url, userEmail.toUpperCase(), PASSWORD)
  expect([status, body.title]).toEqual([429, 'rate_limited'])
  const seconds = Number(headers.get('retry-after'))
  expect(Number.isInteger(seconds) && seconds > 0 && seconds <= 15 * 60, `${seconds}`).toBe(true)

  const other = await service.openTenant()
  expect((await attemptLogin(service.url, other.userEmail)).status).toBe(200)
})

test('a successful login resets the failure count', async () => {
  const { userEmail } = await service.openTenant()
  for (let round = 0; round < 2; round++) {
    const failures = await Promise.all(Array.from({ length: 9 }, () => fail(userEmail, '198.51.100.6')))
    expect(failures.map(({ status }) => status)).toEqual(Array(9).fill(401))
    expect((await attemptLogin(service.url, userEmail)).status).toBe(200)
  }
})

test('an address with a hundred failures of any e-mails is blocked, other addresses are not', async () => {
  const { userEmail } = await service.openTenant()
  // 98 failures of before: each one takes the time of a password check
  await fail('guess0@lender.example', '203.0.113.9')
  await service.db('login_attempts').where({ key: 'address:203.0.113.9' }).update({ points: 99 })
  expect((await fail('guess1@lender.example', '203.0.113.9')).status).toBe(401)
  const blocked = await attemptLogin(service.url, userEmail, PASSWORD, from('203.0.113.9'))
  expect(blocked.status).toBe(429)
  expect(Number(blocked.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await attemptLogin(service.url, userEmail, PASSWORD, from('203.0.113.10'))).status).toBe(200)
})

/** Adds a user of this e-mail to further subscriptions. */
async function addElsewhere(userEmail: string, count: number): Promise<string[]> {
  const tenants = []
  for (let n = 0; n < count; n++) tenants.push(await service.openTenant())
  for (const { subscriptionId } of tenants) await addUser(service.db, subscriptionId, userEmail, 'analyst')
  return tenants.map(({ name }) => name)
}

const setHash = async (subscription: string, passwordHash: string) =>
  service
    .db('users')
    .whereIn('subscription_id', service.db('subscriptions').select('id').where({ name: subscription }))
    .update({ password_hash: passwordHash })

const logInTo = (userEmail: string, subscription: string, password = PASSWORD) =>
  call(service.url, 'POST', '/api/account/v1/login', { body: { userEmail, password, subscription } })

test('a password that is right in several subscriptions asks for one of them', async () => {
  const { userEmail, name, subscriptionId } = await service.openTenant()
  const [other = ''] = await addElsewhere(userEmail, 1)
  const { status, body } = await attemptLogin(service.url, userEmail)
  expect([status, body.title]).toEqual([409, 'subscription_required'])
  expect(body.subscriptions).toEqual([{ name }, { name: other }])
  const chosen = await logInTo(userEmail, name)
  expect(decodeJwt(chosen.body.access_token)).toMatchObject({ subscription: subscriptionId })
  expect((await logInTo(userEmail, 'Nobody Lending')).body.title).toBe('invalid_credentials')

  // a password of its own, or a suspended subscription, leaves one to sign in to
  await setHash(other, await hashPassword('another password'))
  expect((await attemptLogin(service.url, userEmail)).status).toBe(200)
  expect((await attemptLogin(service.url, userEmail, 'another password')).status).toBe(200)
  await suspendSubscription(service.db, subscriptionId, true)
  expect((await attemptLogin(service.url, userEmail)).body.title).toBe('subscription_suspended')
})

test('users of an e-mail in many other subscriptions neither delay nor prevent a login', async () => {
  const { userEmail } = await service.openTenant()
  const others = await addElsewhere(userEmail, 4)
  const hash = await hashPassword('another password')
  for (const name of others) await setHash(name, hash)
  expect((await attemptLogin(service.url, userEmail)).status).toBe(200)

  const { userEmail: alone } = await service.openTenant()
  const times: { many: number[]; one: number[] } = { many: [], one: [] }
  for (let n = 0; n < 8; n++) {
    await service.db('login_attempts').del()
    for (const [kind, email] of [
      ['many', userEmail],
      ['one', alone],
    ] as const) {
      const startedAt = performance.now()
      await fail(email, '198.51.100.30')
      times[kind].push(performance.now() - startedAt)
    }
  }
  // with a check for each user, 0
  expect(shareOfGreater(times.one, times.many)).toBeGreaterThan(0.15)

  const last = others.at(-1) ?? ''
  expect((await logInTo(userEmail, last, 'another password')).status).toBe(200)
})

test('signing in as another user of the same e-mail gives no further guesses', async () => {
  const { userEmail } = await service.openTenant()
  const [other = ''] = await addElsewhere(userEmail, 1)
  await setHash(other, await hashPassword('of the attacker'))
  const at = (password: string) =>
    attemptLogin(service.url, userEmail, password, from('198.51.100.31')).then(({ status }) => status)
  for (let n = 0; n < 10; n++) {
    expect(await at(`guess ${n}`)).toBe(401)
    if (n < 9) expect(await at('of the attacker')).toBe(200)
  }
  expect(await at('of the attacker')).toBe(429)
  expect((await logInTo(userEmail, other, 'of the attacker')).status).toBe(200)
})

test('a password of earlier rules works, and a weak hash of it is replaced', async () => {
  const { userEmail, name } = await service.openTenant()
  const readHash = async () => (await service.db('users').where({ email: userEmail }).first()).password_hash
  await setHash(name, await hash('1234567890', { memoryCost: 8_192, timeCost: 1 }))
  expect((await fail(userEmail, '198.51.100.32')).status).toBe(401)
  expect(await readHash()).toContain('m=8192,t=1')
  for (let n = 0; n < 2; n++)
    expect((await attemptLogin(service.url, userEmail, '1234567890')).status).toBe(200)
  const replaced = await readHash()
  expect(replaced).toContain('$argon2id$v=19$m=19456,t=2,p=1$')
  await attemptLogin(service.url, userEmail, '1234567890')
  expect(await readHash()).toBe(replaced)
})

test('all errors of a login are returned at once, without the values sent', async () => {
  const { status, body } = await call(service.url, 'POST', '/api/account/v1/login', {
    body: { userEmail: null, password: 'secret\0secret' },
  })
  expect([status, body.title]).toEqual([400, 'validation_failed'])
  expect(Object.keys(body.errors).toSorted()).toEqual(['password', 'userEmail'])
  expect(JSON.stringify(body)).not.toContain('secret')
})

test('guesses at an account block unknown addresses, never those from which its user signed in before', async () => {
  const { userEmail } = await service.openTenant()
  const at = (address: string, password = PASSWORD) =>
    attemptLogin(service.url, userEmail, password, from(address)).then(({ status }) => status)
  expect(await at('198.51.100.20')).toBe(200)
  expect(await at('2001:db8:7::1')).toBe(200)
  for (const address of ['203.0.113.20', '203.0.113.21', '203.0.113.22'])
    await Promise.all(Array.from({ length: 5 }, () => fail(userEmail, address)))
  // under the name of the count that its user's address has
  await Promise.all(Array.from({ length: 12 }, () => fail(`${userEmail} 198.51.100.20`, '203.0.113.23')))

  expect(await at('203.0.113.24')).toBe(429)
  expect(await at('198.51.100.20')).toBe(200)
  expect(await at('2001:db8:7:0:9::9')).toBe(200)
  expect(await at('2001:db8:8::1')).toBe(429)
  // a user of that address has ten attempts as well, and does not give the others new ones
  for (let n = 0; n < 10; n++) expect(await at('198.51.100.20', 'a wrong password')).toBe(401)
  expect(await at('198.51.100.20')).toBe(429)
  expect(await at('2001:db8:7::2')).toBe(200)
  expect(await at('203.0.113.24')).toBe(429)
})

test('an IPv6 address counts as its /64, and a mapped IPv4 address as IPv4', async () => {
  const { userEmail } = await service.openTenant()
  const failFrom = (address: string) => fail(`guess-${crypto.randomUUID()}@lender.example`, address)
  for (const [first, same, other] of [
    ['2001:db8:0:1::1', '2001:0DB8:0000:0001:ffff:ffff:ffff:ffff', '2001:db8:0:2::1'],
    ['203.0.113.30', '::ffff:203.0.113.30', '::ffff:203.0.113.31'],
  ] as const) {
    await failFrom(first)
    const [{ key }, ...more] = await service
      .db('login_attempts')
      .where('key', 'like', 'address:%')
      .where({ points: 1 })
      .where('key', 'like', first.includes(':') ? '%2001:db8:0:1::/64' : '%203.0.113.30')
    expect(more).toEqual([])
    await service.db('login_attempts').where({ key }).update({ points: 100 })
    expect((await failFrom(same)).status).toBe(429)
    expect((await failFrom(first)).status).toBe(429)
    expect((await attemptLogin(service.url, userEmail, PASSWORD, from(other))).status).toBe(200)
  }
})

test('a login body over the limit is rejected before it is read', async () => {
  const { status, body } = await call(service.url, 'POST', '/api/account/v1/login', {
    body: { userEmail: 'nobody@lender.example', password: 'x'.repeat(40_000) },
  })
  expect([status, body.title]).toEqual([413, 'payload_too_large'])
  const { userEmail } = await service.openTenant()
  const longest = '\u{1F511}'
    .repeat(1_000)
    .replaceAll(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16)}`)
  const fits = await call(service.url, 'POST', '/api/account/v1/login', {
    body: `{"userEmail": ${JSON.stringify(userEmail)}, "password": "${longest}"}`,
  })
  expect(fits.body.title).toBe('invalid_credentials')
})
