import { importJWK, type JWK, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { KEY_PREFIX } from '../../db/api-keys.ts'
import { type Answer, call, declared, logIn } from '../client.ts'
import { type Service, startService, type Tenant } from '../service.ts'

let service: Service
let tenant: Tenant
let token: string

beforeAll(async () => {
  service = await startService({ worker: false })
  tenant = await service.openTenant()
  token = await logIn(service.url, tenant)
})
afterAll(() => service.stop())

const guarded = declared.filter(({ credential }) => credential.kind !== 'none')
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

test('the endpoints that need no credential are those by which one is got, and reference and health', () => {
  expect(open.map(({ path }) => path).toSorted()).toEqual([
    '/api/account/v1/login',
    '/api/account/v1/logout',
    '/api/account/v1/refresh',
    '/features',
    '/healthz',
    '/openapi.json',
    '/readyz',
    '/schemas/capture-1.json',
  ])
})

describe.each(guarded)('$method $path', ({ method, path, credential }) => {
  test('asks for a credential', async () => {
    expectUnauthenticated(await visit(method, path, {}))
  })

  test('does not take what is no bearer token', async () => {
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

  test('does not take the other kind of credential', async () => {
    const others = credential.kind === 'login' ? [tenant.uploaderKey, tenant.requesterKey] : [token]
    for (const other of others)
      expectUnauthenticated(await visit(method, path, { Authorization: `Bearer ${other}` }))
  })

  test('does not take the credential from the query', async () => {
    const good = credential.kind === 'login' ? token : tenant.uploaderKey
    const { body } = await call(service.url, method.toUpperCase(), `${path}?access_token=${good}`)
    expect(body.title).toBe('unauthenticated')
  })
})

test('an API key that was never made is refused', async () => {
  for (const key of [KEY_PREFIX, `${KEY_PREFIX}${'A'.repeat(43)}`, `${tenant.uploaderKey}x`])
    expectUnauthenticated(await visit('post', '/api/datasets/v1/upload', { Authorization: `Bearer ${key}` }))
})

test('the scheme of the credential is compared without regard to case', async () => {
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

  test('a token with these claims, signed by the key of the service, is good', async () => {
    expect((await read(await sign(service.signingKeys[0], claims()))).status).toBe(404)
  })

  test('a token signed by an older key of the service is good until it expires', async () => {
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
    ['not valid yet', () => ({ nbf: seconds() + 600 })],
    ['of no session', () => ({ sid: undefined })],
    ['of an unknown session', () => ({ sid: crypto.randomUUID() })],
    ['of another subscription', () => ({ subscription: 1_000_000 })],
  ])('a token %s is refused', async (_, replaced) => {
    expectUnauthenticated(await read(await sign(service.signingKeys[0], claims(replaced()))))
  })

  test('a token signed by a stranger is refused, also under the id of the key of the service', async () => {
    const stranger = await makeSigningKey()
    expectUnauthenticated(await read(await sign(stranger, claims())))
    expectUnauthenticated(await read(await sign({ ...stranger, kid: service.signingKeys[0].kid }, claims())))
  })

  test('a token with another algorithm than ours is refused', async () => {
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

  test('a token that was changed is refused', async () => {
    const [header, payload, signature = ''] = token.split('.')
    const other = Buffer.from(JSON.stringify(claims({ sub: '999' }))).toString('base64url')
    expectUnauthenticated(await read(`${header}.${other}.${signature}`))
    expectUnauthenticated(await read(`${header}.${payload}.${signature.toUpperCase()}`))
    expectUnauthenticated(await read(`${header}.${payload}.`))
  })
})
