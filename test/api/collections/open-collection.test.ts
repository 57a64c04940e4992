import { importJWK, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openPageAuthentication } from '../../../api/collections/page-authentication.ts'
import { openRateLimit } from '../../../api/collections/rate-limit.ts'
import { Problem } from '../../../api/http/problem.ts'
import { createApiKey } from '../../../db/accounts/api-keys.ts'
import { suspendSubscription } from '../../../db/accounts/subscriptions.ts'
import { anUpload } from '../../support/captures.ts'
import { call, upload } from '../../support/client.ts'
import { measureMemory } from '../../support/collect-garbage.ts'
import { anOpening, aSegment, makeSiteKey, ORIGIN, openOne, sendFromPage } from '../../support/pages.ts'
import { type Service, startService, type Tenant } from '../../support/service.ts'

let service: Service
let tenant: Tenant
let keys: Record<'open' | 'claimed' | 'verified', string>

beforeAll(async () => {
  service = await startService({ worker: false, trustedProxies: ['127.0.0.1'] })
  tenant = await service.openTenant()
  const key = (level: 'open' | 'claimed' | 'verified') =>
    makeSiteKey(service.db, tenant.subscriptionId, { level })
  keys = { open: await key('open'), claimed: await key('claimed'), verified: await key('verified') }
})
afterAll(() => service.stop())

const number = () => `LN-${crypto.randomUUID()}`

const open = (key: string, body: unknown, headers?: Record<string, string>) =>
  sendFromPage(service.url, `/c/open?k=${key}`, body, headers)

const createToken = async (members: Record<string, unknown> = {}, of = tenant) => {
  const body = { referenceNumber: number(), origin: ORIGIN, ...members }
  const answer = await call(service.url, 'POST', '/api/collections/v1/tokens', {
    token: of.uploaderKey,
    body,
  })
  expect(answer.status).toBe(200)
  return { token: answer.body.token as string, referenceNumber: body.referenceNumber }
}

const titleOf = ({ status, body }: { status: number; body: { title?: string } }) => [status, body.title]

describe('a collection', () => {
  test('is opened once for a nonce, with what the request says of browser, device and address', async () => {
    const body = anOpening({
      referenceNumber: number(),
      device: 'random',
      consent: { basis: 'consent', policy: '2026-10' },
    })
    const headers = {
      'X-Real-IP': '203.0.113.9',
      'User-Agent': 'Browser/1',
      'Accept-Language': 'de-AT, en;q=0.5',
      'Sec-CH-UA': '"Chromium";v="156", "Not?A_Brand";v="99"',
      'Sec-CH-UA-Mobile': '?1',
      'Sec-CH-UA-Platform': '"Android"',
    }
    const first = await open(keys.open, body, headers)
    expect(first).toMatchObject({
      status: 200,
      body: {
        level: 'open',
        referenceNumber: body.referenceNumber,
        maxSegmentBytes: 65_536,
        modules: ['graphics'],
      },
    })
    expect((await open(keys.open, body, headers)).body).toEqual(first.body)
    const rows = await service.db('collections').where({ nonce: body.nonce as string })
    expect(rows).toMatchObject([
      {
        ...{
          origin: ORIGIN,
          opened_address: '203.0.113.9',
          device_id: expect.stringMatching(/^web_[\w-]{22}$/),
        },
        request: {
          ...{ userAgent: 'Browser/1', languages: ['de-AT', 'en'] },
          clientHints: {
            brands: [
              { brand: 'Chromium', version: '156' },
              { brand: 'Not?A_Brand', version: '99' },
            ],
            ...{ mobile: true, platform: 'Android' },
          },
          consent: { basis: 'consent', policy: '2026-10' },
        },
      },
    ])
  })

  test('stores segments of the same body, also of a repeated request', async () => {
    const body = anOpening({ referenceNumber: number(), segments: [aSegment(0)] })
    await open(keys.open, body)
    const again = await open(keys.open, { ...body, segments: [aSegment(0), aSegment(1)] })
    expect(again.status).toBe(200)
    const [{ id }] = await service.db('collections').where({ nonce: body.nonce as string })
    const stored = service.db('collection_segments').where({ collection_id: id }).orderBy('n').pluck('n')
    expect(await stored).toEqual([0, 1])
  })

  test('does not store the address of a router', async () => {
    const own = await startService({ worker: false })
    const { subscriptionId } = await own.openTenant()
    await openOne(own.url, await makeSiteKey(own.db, subscriptionId))
    expect(await own.db('collections').pluck('opened_address')).toEqual([null])
    await own.stop()
  })
})

describe('a site key', () => {
  test.each(['', 'pk_', `pk_${'A'.repeat(32)}`, 'a&k=b'])('of %j is rejected', async (key) => {
    expect(titleOf(await open(key, anOpening()))).toEqual([401, 'site_key_invalid'])
  })

  test('is rejected from a page of another origin or of none, and the rejection is counted', async () => {
    const key = await makeSiteKey(service.db, tenant.subscriptionId)
    for (const origin of ['https://evil.example', 'https://shop.example.evil.example', 'null', `${ORIGIN}/`])
      expect(titleOf(await open(key, anOpening(), { Origin: origin }))).toEqual([403, 'origin_not_allowed'])
    const none = await call(service.url, 'POST', `/c/open?k=${key}`, { body: anOpening() })
    expect(titleOf(none)).toEqual([403, 'origin_not_allowed'])
    await service.flushCounts()
    const [{ id }] = await service.db('site_keys').where({ key })
    expect(await service.db('site_key_days').where({ site_key_id: id }).first()).toMatchObject({
      rejected: 5,
    })
  })

  test('stops opening within 5 s of its revocation, expiry or suspension', { timeout: 15_000 }, async () => {
    const other = await service.openTenant()
    const suspended = await makeSiteKey(service.db, other.subscriptionId)
    const [revoked, expired] = [
      await makeSiteKey(service.db, tenant.subscriptionId),
      await makeSiteKey(service.db, tenant.subscriptionId),
    ]
    for (const key of [revoked, expired, suspended]) await openOne(service.url, key)
    await service.db('site_keys').where({ key: revoked }).update({ revoked_at: new Date() })
    await service.db('site_keys').where({ key: expired }).update({ expires_at: new Date() })
    await suspendSubscription(service.db, other.subscriptionId, true)
    const attempt = (key: string) => open(key, anOpening({ referenceNumber: number() })).then(titleOf)
    await vi.waitFor(
      async () => {
        expect(await attempt(revoked)).toEqual([401, 'site_key_invalid'])
        expect(await attempt(expired)).toEqual([401, 'site_key_invalid'])
        expect(await attempt(suspended)).toEqual([403, 'subscription_suspended'])
      },
      { timeout: 5_000, interval: 200 },
    )
  })

  test('opens no more than its limit of the day', async () => {
    const key = await makeSiteKey(service.db, tenant.subscriptionId, { perDay: 3 })
    const bodies = Array.from({ length: 5 }, () => anOpening({ referenceNumber: number() }))
    const answers = await Promise.all(bodies.map((body) => open(key, body)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429, 429])
    const rejected = answers.find(({ status }) => status === 429)
    expect(rejected?.headers.get('retry-after')).toBe('3600')
    expect(rejected?.body.detail).toContain('today')
  })

  test.each([
    ['open', {}, 'referenceNumber'],
    ['open', { referenceNumber: 'LN-1', token: 'x' }, 'token'],
    ['claimed', { referenceNumber: 'LN-1' }, 'referenceNumber'],
    ['claimed', { token: 'x' }, 'token'],
    ['verified', {}, 'token'],
    ['verified', { referenceNumber: 'LN-1' }, 'token'],
  ] as const)('of level %s rejects %j', async (level, members, at) => {
    const { status, body } = await open(keys[level], anOpening(members))
    expect([status, body.title, Object.keys(body.errors)]).toEqual([400, 'validation_failed', [at]])
  })

  test.each([
    [{ nonce: 'short' }, 'nonce'],
    [{ nonce: 'x'.repeat(65) }, 'nonce'],
    [{ v: 2 }, 'v'],
    [{ device: 'x'.repeat(65) }, 'device'],
    [{ segments: [aSegment(0), { n: 1 }] }, 'segments.1.v'],
    [{ segments: 'none' }, 'segments'],
  ])('rejects a body with %j', async (members, at) => {
    const { status, body } = await open(keys.open, {
      ...anOpening({ referenceNumber: number() }),
      ...members,
    })
    expect([status, body.title]).toEqual([400, 'validation_failed'])
    expect(Object.keys(body.errors)).toContain(at)
  })
})

describe('a reference number', () => {
  test('of a dataset or of an open collection is taken for other collections, not for uploads', async () => {
    const body = anUpload()
    await upload(service.url, tenant.uploaderKey, body)
    const { id, referenceNumber } = await openOne(service.url, keys.open)
    for (const taken of [body.referenceNumber, referenceNumber])
      expect(titleOf(await open(keys.open, anOpening({ referenceNumber: taken })))).toEqual([
        409,
        'reference_number_taken',
      ])
    const uploaded = await upload(service.url, tenant.uploaderKey, anUpload({}, { referenceNumber }))
    expect(uploaded.status).toBe(200)
    await sendFromPage(service.url, `/c?c=${id}&n=0`, aSegment(0))
    const completed = await sendFromPage(service.url, `/c/complete?c=${id}`, { segments: 1 })
    expect(titleOf(completed)).toEqual([409, 'reference_number_taken'])
  })
})

describe('a token', () => {
  test('gives number and Additional Info, and opens one collection', async () => {
    const { token, referenceNumber } = await createToken({ additionalInfo: { clientId: 'C-7' } })
    const body = anOpening({ token })
    const first = await open(keys.verified, body)
    expect(first.body).toMatchObject({ level: 'verified', referenceNumber })
    expect((await open(keys.verified, body)).body).toEqual(first.body)
    expect(titleOf(await open(keys.verified, anOpening({ token })))).toEqual([409, 'collection_token_used'])
    const row = await service.db('collections').where({ reference_number: referenceNumber }).first()
    expect(row).toMatchObject({ additional_info: { clientId: 'C-7' }, level: 'verified' })
    const other = await open(keys.verified, anOpening({ token, referenceNumber: 'LN-other' }))
    expect(other.body.errors).toHaveProperty('referenceNumber')
  })

  test('is rejected if it is forged, expired, from a fast clock, or for something else', async () => {
    const foreign = await service.openTenant()
    const { token } = await createToken()
    const [jwk, previous] = service.signingKeys
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    const sign = async (members: object, by = jwk) =>
      new SignJWT({ ...claims, ...members })
        .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: jwk.kid })
        .sign(await importJWK(by as JWK, 'EdDSA'))
    const { iat, exp } = claims
    const tokens = {
      junk: 'junk',
      'of an unsigned header': `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`,
      'signed by another key': await sign({}, previous),
      expired: await sign({ iat: iat - 7_200, exp: iat - 3_600 }),
      'from a clock that is 5 minutes fast': await sign({ iat: iat + 300, exp: exp + 300 }),
      'valid for longer than 4 hours': await sign({ exp: iat + 14_401 }),
      'without id': await sign({ jti: undefined }),
      'of login': (
        await service.tokens.issue({
          subscriptionId: tenant.subscriptionId,
          userId: 1,
          sessionId: crypto.randomUUID(),
        })
      ).token,
      'for another origin': (await createToken({ origin: 'https://other.example' })).token,
      'of another subscription': (await createToken({}, foreign)).token,
    }
    for (const [name, invalid] of Object.entries(tokens)) {
      const answer = await open(keys.verified, anOpening({ token: invalid }))
      expect([name, ...titleOf(answer)]).toEqual([name, 401, 'collection_token_invalid'])
    }
    expect(
      (await open(keys.verified, anOpening({ token: await sign({ iat: iat + 20, exp: exp + 20 }) }))).status,
    ).toBe(200)
  })

  test('does not authenticate at other routes, and needs an uploader key', async () => {
    const { token } = await createToken()
    const answer = await call(service.url, 'GET', '/api/datasets/v1', { token })
    expect(titleOf(answer)).toEqual([401, 'unauthenticated'])
    const { key } = await createApiKey(service.db, {
      subscriptionId: tenant.subscriptionId,
      role: 'requester',
    })
    const body = { referenceNumber: 'LN-1', origin: ORIGIN }
    const created = await call(service.url, 'POST', '/api/collections/v1/tokens', { token: key, body })
    expect(titleOf(created)).toEqual([403, 'forbidden'])
  })

  test.each([
    [{ origin: 'https://shop.example/' }, 'origin'],
    [{ origin: 'shop' }, 'origin'],
    [{ expiresInMinutes: 241 }, 'expiresInMinutes'],
    [
      {
        additionalInfo: Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${n}`, 'x'.repeat(1_000)])),
      },
      'additionalInfo',
    ],
  ])('is not created with %j', async (members, at) => {
    const body = { referenceNumber: 'LN-1', origin: ORIGIN, ...members }
    const answer = await call(service.url, 'POST', '/api/collections/v1/tokens', {
      token: tenant.uploaderKey,
      body,
    })
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([400, [at]])
  })
})

describe('CORS', () => {
  test.each(['/c/open', '/c', '/c/complete', '/c/withdraw'])(
    'lets pages of any origin call %s',
    async (path) => {
      const preflight = await fetch(service.url + path, { method: 'OPTIONS', headers: { Origin: ORIGIN } })
      expect(preflight.status).toBe(204)
      expect(Object.fromEntries(preflight.headers)).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-max-age': '86400',
      })
      const rejected = await sendFromPage(service.url, path, '{}')
      expect(rejected.status).toBeGreaterThanOrEqual(400)
      expect(rejected.headers.get('access-control-allow-origin')).toBe('*')
      expect(rejected.headers.get('access-control-allow-credentials')).toBeNull()
      expect(rejected.headers.get('set-cookie')).toBeNull()
    },
  )

  test('is not for other routes', async () => {
    const preflight = await fetch(`${service.url}/api/collections/v1/tokens`, { method: 'OPTIONS' })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([405, null])
  })
})

test('opens by one address are rejected beyond the limit, those of others are not', async () => {
  const from = (address: string) => open(keys.claimed, anOpening(), { 'X-Real-IP': address })
  const answers = await Promise.all(Array.from({ length: 700 }, () => from('198.51.100.1')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(600)
  const rejected = answers.filter(({ status }) => status === 429)
  expect(rejected).toHaveLength(100)
  expect(rejected[0]?.body.title).toBe('rate_limited')
  expect(Number(rejected[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await from('198.51.100.2')).status).toBe(200)
})

test('100,000 opens by one address take no query beyond the limit, and a million addresses a bounded memory', () => {
  const db = (() => {
    throw new Error('a query')
  }) as never
  const authenticate = openPageAuthentication(db, { add: () => undefined })
  const attempt = (address: string) => {
    try {
      const found = authenticate({ k: 'no key' }, ORIGIN, address, { kind: 'siteKey' })
      if (found instanceof Promise) found.catch(() => undefined)
      return 'admitted'
    } catch (error) {
      return error instanceof Problem ? error.code : error
    }
  }
  const outcomes = Array.from({ length: 100_000 }, () => attempt('198.51.100.1'))
  expect(outcomes.filter((outcome) => outcome === 'rate_limited')).toHaveLength(100_000 - 600)
  const limit = openRateLimit(1)
  const before = measureMemory()
  for (let n = 0; n < 1_000_000; n++) limit.take(`${n}`)
  expect(measureMemory() - before).toBeLessThan(20 * 1024 * 1024)
  expect(() => limit.take('999999')).toThrow('rate_limited') // its counts are still there
})
