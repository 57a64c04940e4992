import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeWrappingJwk, wrappingKeysOf } from '../../db/encryption/wrapping-keys.ts'
import { type Answer, attemptLogin, call, logIn } from '../support/client.ts'
import { FROM_PORTAL } from '../support/route-requests.ts'
import { addUser, PASSWORD, type Service, startService, type Tenant } from '../support/service.ts'
import { cborBytes, cborMap, cborText, openAuthenticator } from '../support/software-authenticator.ts'

const ORIGIN = 'https://inkling.example'
const AT_HOME = { origin: ORIGIN }

let service: Service
let tenant: Tenant

beforeAll(async () => {
  service = await startService({
    ...{ worker: false, trustedProxies: ['127.0.0.1'], publicUrl: ORIGIN },
    wrappingKeys: wrappingKeysOf([makeWrappingJwk()]),
  })
  tenant = await service.openTenant()
})
afterAll(() => service.stop())

interface Person {
  readonly userEmail: string
  readonly userId: number
  readonly token: string
}

async function openPerson(role: 'admin' | 'analyst' = 'analyst', of = tenant): Promise<Person> {
  const userEmail = `${role}-${crypto.randomUUID()}@lender.example`
  const userId = await addUser(service.db, of.subscriptionId, userEmail, role)
  return { userEmail, userId, token: await logIn(service.url, { userEmail }) }
}

const post = (path: string, body?: object, token?: string, headers: Record<string, string> = {}) =>
  call(service.url, 'POST', `/api/account/v1/${path}`, {
    ...(body && { body }),
    ...(token !== undefined && { token }),
    headers,
  })

const outcome = ({ status, body }: Answer) => (status < 400 ? status : `${status} ${body.title}`)

/** A code of a secret, of the present step or one some steps later. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

/** Adds an authenticator app. The code of the present step is used up. */
async function addApp(person: Person): Promise<{ secret: string; id: string; recoveryCodes: string[] }> {
  const { body: started } = await post('factors/totp', undefined, person.token)
  const body = { challenge: started.challenge, name: 'App', totp: codeOf(started.secret) }
  const added = await post('factors', body, person.token)
  expect(outcome(added)).toBe(200)
  return { secret: started.secret, ...added.body }
}

async function addPasskey(person: Person) {
  const authenticator = openAuthenticator()
  const { body: started } = await post('factors/passkey', undefined, person.token)
  const passkey = authenticator.create(started.options, AT_HOME)
  const added = await post('factors', { challenge: started.challenge, name: 'Key', passkey }, person.token)
  expect(outcome(added)).toBe(200)
  return { authenticator, ...added.body }
}

describe('an authenticator app', () => {
  test('has its secret encrypted in the database', async () => {
    const { secret, id } = await addApp(await openPerson())
    const stored: { secret: Buffer } = await service.db('factors').where({ id }).first()
    const plain = Buffer.from(Secret.fromBase32(secret).bytes)
    expect(stored.secret.length).toBeGreaterThan(plain.length)
    expect(stored.secret.includes(plain)).toBe(false)
  })

  test('is asked for after the password, and each of its codes is accepted once', async () => {
    const person = await openPerson()
    const { secret } = await addApp(person)
    const asked = await attemptLogin(service.url, person.userEmail)
    expect(outcome(asked)).toBe('401 second_factor_required')
    expect(asked.body.factors).toEqual(['totp', 'recovery_code'])
    const { challenge } = asked.body
    // the code of the registration is a replay; one two steps ahead is too early
    for (const code of [codeOf(secret), codeOf(secret, 3), '000000'])
      expect(outcome(await post('login/factor', { challenge, totp: code }))).toBe('401 invalid_credentials')
    const totp = codeOf(secret, 1)
    const signedIn = await post('login/factor', { challenge, totp })
    expect(outcome(signedIn)).toBe(200)
    expect(signedIn.body.token_type).toBe('bearer')
    expect(outcome(await post('login/factor', { challenge, totp }))).toBe('401 invalid_credentials')
    const { body: again } = await attemptLogin(service.url, person.userEmail)
    expect(outcome(await post('login/factor', { challenge: again.challenge, totp }))).toBe(
      '401 invalid_credentials',
    )
    const [session] = await service
      .db('sessions')
      .where({ user_id: person.userId })
      .orderBy('created_at', 'desc')
    expect(session.method).toBe('password+totp')
  })

  test('two uses of a code at once sign in once', async () => {
    const person = await openPerson()
    const { secret } = await addApp(person)
    const challenges = await Promise.all(
      [1, 2].map(async () => (await attemptLogin(service.url, person.userEmail)).body.challenge),
    )
    const totp = codeOf(secret, 1)
    const answers = await Promise.all(
      challenges.map((challenge) => post('login/factor', { challenge, totp })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
  })

  test('wrong codes block the factor, which a right password does not reset', async () => {
    const person = await openPerson()
    await addApp(person)
    const from = { 'X-Real-IP': '203.0.113.77' }
    const guess = async () => {
      const { body } = await attemptLogin(service.url, person.userEmail, PASSWORD, from)
      return post('login/factor', { challenge: body.challenge, totp: '000000' }, undefined, from)
    }
    for (let n = 0; n < 10; n++) expect(outcome(await guess())).toBe('401 invalid_credentials')
    expect(outcome(await guess())).toBe('429 rate_limited')
  })

  test('recovery codes replace it, once each; new ones replace them', async () => {
    const person = await openPerson()
    const { recoveryCodes } = await addApp(person)
    expect(new Set(recoveryCodes).size).toBe(10)
    for (const code of recoveryCodes)
      expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/)
    expect(JSON.stringify(await service.db('recovery_codes').select())).not.toContain(recoveryCodes[0])
    const use = async (recoveryCode = '') => {
      const { body } = await attemptLogin(service.url, person.userEmail)
      return post('login/factor', { challenge: body.challenge, recoveryCode })
    }
    const [first = '', second = '', third = ''] = recoveryCodes
    expect(outcome(await use(first.toUpperCase().replaceAll('-', ' ')))).toBe(200)
    expect(outcome(await use(first))).toBe('401 invalid_credentials')
    const { body: renewed } = await post('recovery-codes', undefined, person.token)
    expect(outcome(await use(second))).toBe('401 invalid_credentials')
    expect(outcome(await use(renewed.recoveryCodes[0]))).toBe(200)
    expect(renewed.recoveryCodes).not.toContain(third)
    const actions = await service.db('audit_events').where({ subject: person.userEmail }).pluck('action')
    expect(actions).toEqual(expect.arrayContaining(['factor.add', 'factor.recovery', 'factor.codes']))
  })

  test('of another user, or of a challenge for something else, signs nobody in', async () => {
    const [person, other] = [await openPerson(), await openPerson()]
    const { secret } = await addApp(other)
    await addApp(person)
    const { body } = await attemptLogin(service.url, person.userEmail)
    const login = { challenge: body.challenge, totp: codeOf(secret, 1) }
    expect(outcome(await post('login/factor', login))).toBe('401 invalid_credentials')
    const { body: started } = await post('factors/totp', undefined, person.token)
    for (const challenge of [started.challenge, person.token, 'junk'])
      expect(outcome(await post('login/factor', { challenge, totp: codeOf(started.secret) }))).toBe(
        '401 challenge_invalid',
      )
    const registration = { challenge: started.challenge, name: 'App', totp: codeOf(started.secret) }
    expect(outcome(await post('factors', registration, other.token))).toBe('401 challenge_invalid')
  })

  test('the first factor ends other sessions, is listed, renamed and removed', async () => {
    const person = await openPerson()
    const stolen = await logIn(service.url, person)
    const { id } = await addApp(person)
    await expect
      .poll(
        async () => (await call(service.url, 'GET', '/api/account/v1/sessions', { token: stolen })).status,
      )
      .toBe(401)
    const path = `/api/account/v1/factors/${id}`
    const { token } = person
    await call(service.url, 'PATCH', path, { token, body: { name: 'Old telephone' } })
    const { body } = await call(service.url, 'GET', '/api/account/v1/factors', { token })
    expect(body).toMatchObject({
      items: [{ id, kind: 'totp', name: 'Old telephone' }],
      recoveryCodes: 10,
      required: false,
      passkeysAvailable: true,
    })
    expect((await call(service.url, 'DELETE', path, { token })).status).toBe(204)
    expect(outcome(await attemptLogin(service.url, person.userEmail))).toBe(200)
    expect(await service.db('recovery_codes').where({ user_id: person.userId })).toEqual([])
  })
})

describe('a passkey', () => {
  test('is the second factor after the password, also in a browser session', async () => {
    const person = await openPerson()
    const { authenticator } = await addPasskey(person)
    const credentials = { userEmail: person.userEmail, password: PASSWORD }
    const asked = await post('session', credentials, undefined, FROM_PORTAL)
    expect(outcome(asked)).toBe('401 second_factor_required')
    const { challenge, passkey: options } = asked.body
    expect(options.allowCredentials.map(({ id }: { id: string }) => id)).toEqual([authenticator.id])
    const answer = { challenge, passkey: authenticator.answer(options, AT_HOME) }
    const signedIn = await post('session/factor', answer, undefined, FROM_PORTAL)
    expect(outcome(signedIn)).toBe(200)
    expect(signedIn.headers.getSetCookie()).toHaveLength(2)
    expect(outcome(await post('session/factor', answer, undefined, FROM_PORTAL))).toBe(
      '401 invalid_credentials',
    )
  })

  test('signs in without a password, once per challenge', async () => {
    const person = await openPerson()
    const { authenticator } = await addPasskey(person)
    const { body: begun } = await post('login/passkey')
    expect(begun.options.allowCredentials).toBeUndefined()
    const answer = { challenge: begun.challenge, passkey: authenticator.answer(begun.options, AT_HOME) }
    const answers = await Promise.all([post('login/factor', answer), post('login/factor', answer)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
    const methods = await service.db('sessions').where({ user_id: person.userId }).pluck('method')
    expect(methods.toSorted()).toEqual(['passkey', 'password'])
  })

  test.each([
    ['of a page of another origin', { origin: 'https://inkling.example.evil.example' }],
    ['for another relying party', { ...AT_HOME, rpId: 'evil.example' }],
    ['to another challenge', { ...AT_HOME, challenge: Buffer.alloc(32).toString('base64url') }],
    ['without verification of its user', { ...AT_HOME, verifiesUser: false }],
  ])('its answer %s neither signs in nor registers it', async (_, behaviour) => {
    const person = await openPerson()
    const { authenticator } = await addPasskey(person)
    const { body: begun } = await post('login/passkey')
    const passkey = authenticator.answer(begun.options, behaviour)
    expect(outcome(await post('login/factor', { challenge: begun.challenge, passkey }))).toBe(
      '401 invalid_credentials',
    )
    const { body: started } = await post('factors/passkey', undefined, person.token)
    const created = openAuthenticator().create(started.options, behaviour)
    const registration = { challenge: started.challenge, name: 'Key', passkey: created }
    expect(outcome(await post('factors', registration, person.token))).toBe('400 validation_failed')
  })

  test('of another user answers no challenge of a second factor', async () => {
    const [person, other] = [await openPerson(), await openPerson()]
    const { authenticator } = await addPasskey(other)
    await addPasskey(person)
    const { body } = await attemptLogin(service.url, person.userEmail)
    const passkey = authenticator.answer(body.passkey, AT_HOME)
    expect(outcome(await post('login/factor', { challenge: body.challenge, passkey }))).toBe(
      '401 invalid_credentials',
    )
  })

  test('of a disabled user or a suspended subscription does not sign in', async () => {
    const person = await openPerson()
    const { authenticator } = await addPasskey(person)
    await service.db('users').where({ id: person.userId }).update({ disabled_at: new Date() })
    const { body } = await post('login/passkey')
    const passkey = authenticator.answer(body.options, AT_HOME)
    expect(outcome(await post('login/factor', { challenge: body.challenge, passkey }))).toBe(
      '401 invalid_credentials',
    )
  })

  test('with a certificate is refused: nothing is fetched from the address in it', async () => {
    const { token } = await openPerson()
    const { body: started } = await post('factors/passkey', undefined, token)
    const statement = cborMap([[cborText('x5c'), cborBytes(Buffer.from('certificate'))]])
    for (const format of ['packed', 'fido-u2f', 'android-key']) {
      const passkey = openAuthenticator().create(started.options, AT_HOME, { format, statement })
      const answer = await post('factors', { challenge: started.challenge, name: 'Key', passkey }, token)
      expect(outcome(answer)).toBe('400 validation_failed')
    }
  })
})

test('an admin resets the factors of a user, whose password alone signs in again', async () => {
  const [admin, person] = [await openPerson('admin'), await openPerson()]
  await addApp(person)
  const path = `/api/users/v1/${person.userId}/factors`
  expect((await call(service.url, 'DELETE', path, { token: admin.token })).status).toBe(204)
  expect(outcome(await attemptLogin(service.url, person.userEmail))).toBe(200)
  const [event] = await service.db('audit_events').where({ action: 'factor.reset' })
  expect(event).toMatchObject({ actor: admin.userEmail, subject: person.userEmail, detail: { removed: 1 } })
})

test('no secret of a factor is in the log', async () => {
  const person = await openPerson()
  const { secret, recoveryCodes } = await addApp(person)
  const log = service.logged.join('')
  for (const text of [secret, ...recoveryCodes]) expect(log).not.toContain(text)
})
