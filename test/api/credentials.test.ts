import fc from 'fast-check'
import { generateKeyPair, importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { isForPages } from '../../api/http/cross-origin.ts'
import { KEY_PREFIX } from '../../db/accounts/api-keys.ts'
import { type Answer, call, declared, logIn } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService({ worker: false })
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
})
afterAll(() => service.stop())

/** Routes for pages have a public key or an id in the query instead; test/api/collections tests them. */
const guarded = declared.filter(({ credential }) => credential.kind !== 'none' && !isForPages(credential))
const open = declared.filter(({ credential }) => credential.kind === 'none')

const visit = (method: string, path: string, headers: Record<string, string>): Promise<Answer> =>
  call(service.url, method.toUpperCase(), path.replace(/:\w+/g, 'none'), {
    headers,
    ...(method === 'post' && { body: {} }),
  })

function expectUnauthenticated({ status, headers, body }: Answer): void {
  expect([status, body.title]).toEqual([401, 'unauthenticated'])
  expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="/)
}

test('the only endpoints without a credential are those that issue one, reference and health', () => {
  expect(open.map(({ path }) => path).toSorted()).toEqual([
    '/api/account/v1/invitation',
    '/api/account/v1/login',
    '/api/account/v1/login/factor',
    '/api/account/v1/login/passkey',
    '/api/account/v1/logout',
    '/api/account/v1/refresh',
    '/api/account/v1/session',
    '/api/account/v1/session',
    '/api/account/v1/session/factor',
    '/api/account/v1/session/refresh',
    '/api/account/v1/sso/callback/:connection',
    '/api/account/v1/sso/start',
    '/features',
    '/healthz',
    '/openapi.json',
    '/readyz',
    '/schemas/capture-1.json',
    '/schemas/capture-1/examples/android.json',
    '/schemas/capture-1/examples/ios.json',
    '/schemas/capture-1/examples/web.json',
  ])
})

describe.each(guarded)('$method $path', ({ method, path, credential }) => {
  test('requires a credential', async () => {
    expectUnauthenticated(await visit(method, path, {}))
  })

  test('rejects every other scheme and malformed tokens', async () => {
    const good = credential.kind === 'login' ? token : tenant.uploaderKey
    for (const authorization of [
      'Bearer',
      'Bearer nonsense',
      `Basic ${good}`,
      good,
      `Bearer ${good} ${good}`,
      `Bearer, ${good}`,
    ])
      expectUnauthenticated(await visit(method, path, { Authorization: authorization }))
  })

  test('rejects the other kind of credential', async () => {
    if (credential.kind === 'either') return // there is no other kind
    const others = credential.kind === 'login' ? [tenant.uploaderKey, tenant.requesterKey] : [token]
    for (const other of others)
      expectUnauthenticated(await visit(method, path, { Authorization: `Bearer ${other}` }))
  })

  test('names the required kind of credential for the other kind', async () => {
    const detailOf = async (authorization?: string) =>
      (await visit(method, path, authorization === undefined ? {} : { Authorization: authorization })).body
        .detail
    const plain = await detailOf()
    expect(plain).toBe('Send a valid credential as Authorization: Bearer …')
    expect(await detailOf('Bearer nonsense')).toBe(plain)
    if (credential.kind === 'login')
      for (const key of [tenant.uploaderKey, `${KEY_PREFIX}${'A'.repeat(43)}`])
        expect(await detailOf(`Bearer ${key}`)).toBe('This route requires a login token, not an API key')
    if (credential.kind === 'key')
      expect(await detailOf(`Bearer ${token}`)).toBe('This route requires an API key, not a login token')
  })

  test('ignores a credential in the query', async () => {
    const good = credential.kind === 'login' ? token : tenant.uploaderKey
    const { body } = await call(service.url, method.toUpperCase(), `${path}?access_token=${good}`)
    expect(body.title).toBe('unauthenticated')
  })
})

test('an unknown API key is rejected', async () => {
  for (const key of [KEY_PREFIX, `${KEY_PREFIX}${'A'.repeat(43)}`, `${tenant.uploaderKey}x`])
    expectUnauthenticated(await visit('post', '/api/datasets/v1/upload', { Authorization: `Bearer ${key}` }))
})

test('the authentication scheme is case-insensitive', async () => {
  const { body } = await visit('post', '/api/datasets/v1/upload', {
    Authorization: `bearer ${tenant.uploaderKey}`,
  })
  expect(body.title).toBe('validation_failed')
})

describe('login tokens', () => {
  const INSIGHT = '/v6.0/datasets/none/datasetinsight'
  const read = (presented: string) => visit('get', INSIGHT, { Authorization: `Bearer ${presented}` })
  const seconds = () => Math.floor(Date.now() / 1_000)

  /** The claims of a good token, those given replaced. */
  const claims = (replaced: Record<string, unknown> = {}): JWTPayload => ({
    ...JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()),
    ...replaced,
  })

  const sign = async (jwk: { kid: string }, payload: JWTPayload) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: jwk.kid })
      .sign(await importJWK(jwk as JWK, 'EdDSA'))

  test('a token with these claims, signed by the key of the service, is valid', async () => {
    expect((await read(await sign(service.signingKeys[0], claims()))).status).toBe(404)
  })

  test('a token signed by an older key of the service is valid until it expires', async () => {
    expect((await read(await sign(service.signingKeys[1], claims()))).status).toBe(404)
    const expired = claims({ iat: seconds() - 3_602, exp: seconds() - 2 })
    expectUnauthenticated(await read(await sign(service.signingKeys[1], expired)))
  })

  test.each<[string, () => Record<string, unknown>]>([
    ['that expired', () => ({ iat: seconds() - 3_602, exp: seconds() - 2 })],
    ['that never expires', () => ({ exp: undefined })],
    ['for another audience', () => ({ aud: 'another-api' })],
    ['for no audience', () => ({ aud: undefined })],
    ['of another issuer', () => ({ iss: 'another' })],
    ['not valid yet', () => ({ nbf: seconds() + 31 })],
    ['issued later than clocks may differ', () => ({ iat: seconds() + 40, exp: seconds() + 3_600 })],
    ['that does not say when it was issued', () => ({ iat: undefined })],
    ['for nobody', () => ({ sub: undefined })],
    ['for another audience too, but not ours', () => ({ aud: ['another-api', 'inkling-apis'] })],
    ['whose times are texts', () => ({ exp: '9999999999' })],
    ['of a subscription by its name', () => ({ subscription: String(claims().subscription) })],
    ['of an injected session', () => ({ sid: "' or true --" })],
    ['of a session with NUL', () => ({ sid: 'a\0' })],
    ['of a session that is a list', () => ({ sid: [claims().sid] })],
    ['of a subscription beyond all numbers', () => ({ subscription: 2 ** 53 })],
    ['of a subscription between two', () => ({ subscription: 1.5 })],
    ['of no session', () => ({ sid: undefined })],
    ['of an unknown session', () => ({ sid: crypto.randomUUID() })],
    ['of another subscription', () => ({ subscription: 1_000_000 })],
  ])('a token %s is rejected', async (_, replaced) => {
    expectUnauthenticated(await read(await sign(service.signingKeys[0], claims(replaced()))))
  })

  test("a token signed by a foreign key is rejected, even with the id of the service's key", async () => {
    const stranger = await makeSigningKey()
    expectUnauthenticated(await read(await sign(stranger, claims())))
    expectUnauthenticated(await read(await sign({ ...stranger, kid: service.signingKeys[0].kid }, claims())))
  })

  test('a token with another algorithm is rejected', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const alg of ['none', 'None', 'NONE'])
      expectUnauthenticated(await read(`${part({ alg, typ: 'JWT' })}.${part(claims())}.`))
    // the public key as a shared secret: what a verifier that believes the header would check against
    const [{ kid, x }] = service.signingKeys
    const mac = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(Buffer.from(String(x), 'base64url'))
    expectUnauthenticated(await read(mac))
  })

  test('a token from a clock that is ahead by less than 30 s is valid', async () => {
    const ahead = claims({ iat: seconds() + 25, exp: seconds() + 3_625 })
    expect((await read(await sign(service.signingKeys[0], ahead))).status).toBe(404)
  })

  test('a token whose header names another or an unknown key is rejected', async () => {
    const [jwk, other] = service.signingKeys
    const stranger = await makeSigningKey()
    const { d, ...publicJwk } = stranger
    const signed = async (header: object, by: { kid: string } = stranger) =>
      new SignJWT(claims())
        .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', ...header })
        .sign(await importJWK(by as JWK, 'EdDSA'))
    const kids = [
      '',
      '../../etc/passwd',
      '/dev/null',
      '__proto__',
      'constructor',
      "' or true --",
      'a\0b',
      'x'.repeat(4_000),
    ]
    const headers = [
      {},
      ...[...kids, 0, null, [jwk.kid], { kid: jwk.kid }].map((kid) => ({ kid })),
      { kid: jwk.kid, jwk: publicJwk },
      { jwk: publicJwk },
      { kid: jwk.kid, jku: 'https://stranger.example/jwks.json' },
      { kid: jwk.kid, x5u: 'https://stranger.example/cert.pem', x5c: ['MII'] },
    ]
    for (const header of headers) expectUnauthenticated(await read(await signed(header)))
    // with our own signature: of the other key, by no name, or with an extension that we would have to understand
    expectUnauthenticated(await read(await signed({ kid: other.kid }, jwk)))
    expectUnauthenticated(await read(await signed({}, jwk)))
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const critical = `${part({ alg: 'EdDSA', kid: jwk.kid, crit: ['b64'], b64: false })}.${part(claims())}`
    expectUnauthenticated(await read(`${critical}.${token.split('.')[2]}`))
  })

  test('a token signed with any other algorithm is rejected, even with the id of our key', async () => {
    const [{ kid, x }] = service.signingKeys
    const es256 = await generateKeyPair('ES256')
    const rs256 = await generateKeyPair('RS256')
    for (const [alg, key] of [
      ['ES256', es256.privateKey],
      ['RS256', rs256.privateKey],
      ['PS256', await generateKeyPair('PS256').then(({ privateKey }) => privateKey)],
      ['HS256', Buffer.from(String(x), 'base64url')],
      ['HS384', Buffer.concat([Buffer.from(String(x)), Buffer.alloc(48)])],
      ['HS256', Buffer.from(JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x }))],
    ] as const)
      expectUnauthenticated(
        await read(await new SignJWT(claims()).setProtectedHeader({ alg, kid, typ: 'JWT' }).sign(key)),
      )
  })

  test('every malformed token is rejected, and none causes an internal error', async () => {
    const [header = '', payload = '', signature = ''] = token.split('.')
    const junk = [
      'a.b.c',
      '..',
      '...',
      `${token}.${signature}`,
      `${header}..${signature}`,
      Buffer.from('{"alg":"EdDSA"').toString('base64url'),
      `${Buffer.from('[]').toString('base64url')}.${payload}.${signature}`,
      `${Buffer.from('null').toString('base64url')}.${payload}.${signature}`,
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}.${'A'.repeat(86)}`,
      `${header}.${'A'.repeat(7_000)}.${signature}`,
      'A'.repeat(7_999),
      'A'.repeat(8_001),
    ]
    for (const presented of junk) expectUnauthenticated(await read(presented))
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.base64String(), async (at, text) => {
        const changed = token.slice(0, at) + text.replaceAll('=', '.') + token.slice(at + 1)
        fc.pre(changed !== token)
        expectUnauthenticated(await read(changed))
      }),
      { numRuns: 200 },
    )
    expect(service.logged.filter((line) => JSON.parse(line).level >= 40)).toEqual([])
  })

  test('a modified token is rejected', async () => {
    const [header, payload, signature = ''] = token.split('.')
    const other = Buffer.from(JSON.stringify(claims({ sub: '999' }))).toString('base64url')
    expectUnauthenticated(await read(`${header}.${other}.${signature}`))
    expectUnauthenticated(await read(`${header}.${payload}.${signature.toUpperCase()}`))
    expectUnauthenticated(await read(`${header}.${payload}.`))
  })
})
