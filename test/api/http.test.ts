import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isForPages } from '../../api/http/cross-origin.ts'
import { PROBLEMS } from '../../api/http/problem.ts'
import { anUpload } from '../support/captures.ts'
import { call, declared, upload } from '../support/client.ts'
import { requestRaw } from '../support/raw-request.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'

/** Routes for pages of any origin, which also answer preflights. */
const PAGE_PATHS = declared.filter(({ credential }) => isForPages(credential)).map(({ path }) => path)

let service: Service
let tenant: Tenant

beforeAll(async () => {
  service = await startService({ worker: false, insightWaitMs: 0 })
  tenant = await service.openTenant()
})
afterAll(() => service.stop())

describe('routes', () => {
  test.each([
    '/',
    '/nothing',
    '/api/datasets/v2/upload',
    '/v6.0/datasets/a/b/datasetinsight',
    '/docs/../x',
    '/%',
  ])('there is none at %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, body } = await call(service.url, method, path)
      expect([status, body.title]).toEqual([404, 'route_not_found'])
    }
  })

  test('the title of a problem is an identifier, and its type the page that explains it', async () => {
    expect(Object.keys(PROBLEMS).filter((title) => !/^[a-z]+(_[a-z]+)*$/.test(title))).toEqual([])
    const { headers, body } = await call(service.url, 'GET', '/nothing')
    expect(body.type).toBe('https://inkling.example/problems/route_not_found')
    expect(headers.get('link')).toBe('</problems/route_not_found>; rel="help"')
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(Object.keys(body)).toEqual(['type', 'title', 'status', 'detail', 'traceId'])
  })

  /** A dataset may be named as another route's last segment: DELETE …/v1/upload is about that dataset. */
  const isTakenElsewhere = (method: string, path: string) =>
    declared.some(
      (other) =>
        other.method.toUpperCase() === method &&
        new RegExp(`^${other.path.replace(/:\w+/g, '[^/]+')}$`, 'i').test(path),
    )

  const paths = Map.groupBy(declared, ({ path }) => path)

  test.each(
    [...paths].map(([path, at]) => ({ path, methods: at.map(({ method }) => method.toUpperCase()) })),
  )('$path rejects other methods than $methods, with those in Allow', async ({ path, methods }) => {
    const allowed = [
      ...methods,
      ...(methods.includes('GET') ? ['HEAD'] : []),
      ...(PAGE_PATHS.includes(path) ? ['OPTIONS'] : []),
    ].toSorted()
    for (const other of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      if (allowed.includes(other) || isTakenElsewhere(other, path)) continue
      const { status, headers, body } = await call(service.url, other, path.replace(/:\w+/g, 'none'))
      expect([status, body.title], other).toEqual([405, 'method_not_allowed'])
      expect(headers.get('allow')?.split(', ').toSorted()).toEqual(allowed)
    }
  })

  test.each(['/docs', '/docs/start.js'])('%s rejects other methods, too', async (path) => {
    const { status, headers, body } = await call(service.url, 'POST', path)
    expect([status, body.title]).toEqual([405, 'method_not_allowed'])
    expect(headers.get('allow')).toBe('GET, HEAD')
  })

  test('paths are case-insensitive', async () => {
    const { status } = await call(service.url, 'POST', '/API/Datasets/V1/Upload', {
      token: tenant.uploaderKey,
      body: anUpload(),
    })
    expect(status).toBe(200)
    for (const path of ['/HEALTHZ', '/OpenAPI.json', '/Schemas/Capture-1.JSON', '/DOCS', '/Features'])
      expect((await call(service.url, 'GET', path)).status, path).toBe(200)
  })

  test('a slash at the end of a path makes no difference', async () => {
    for (const path of ['/healthz/', '/openapi.json/', '/schemas/capture-1.json/', '/features/'])
      expect((await call(service.url, 'GET', path)).status, path).toBe(200)
    expect((await call(service.url, 'GET', '/api/datasets/v1/')).status).toBe(401)
  })

  test('HEAD returns the response of GET without the body', async () => {
    for (const path of ['/healthz', '/features', '/docs', '/nothing']) {
      const [get, head] = [await call(service.url, 'GET', path), await call(service.url, 'HEAD', path)]
      expect([head.status, head.body]).toEqual([get.status, ''])
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    }
  })
})

describe('X-Request-Id', () => {
  test.each(['a', 'abc-123', 'req_1.2:3+4/5=', randomUUID(), 'x'.repeat(128)])('%s is used', async (id) => {
    const { headers, body } = await call(service.url, 'GET', '/nothing', { headers: { 'X-Request-Id': id } })
    expect([headers.get('x-request-id'), body.traceId]).toEqual([id, id])
  })

  test.each(['', ' ', 'x'.repeat(129), 'a b', '<script>', 'a"b', "a'b", 'a,b', 'a;b', 'ü'])(
    '%j is not sane: another one is made',
    async (id) => {
      const { headers, body } = await call(service.url, 'GET', '/nothing', {
        headers: { 'X-Request-Id': id },
      })
      expect(headers.get('x-request-id')).toMatch(/^[\w-]{16,64}$/)
      expect(body.traceId).toBe(headers.get('x-request-id'))
    },
  )

  test('differs for each request', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () =>
        (await call(service.url, 'GET', '/healthz')).headers.get('x-request-id'),
      ),
    )
    expect(new Set(ids).size).toBe(20)
  })
})

describe('headers', () => {
  const SECURITY = {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  }

  test('keep browsers from rendering, framing and caching responses, including errors', async () => {
    const answers = [
      await call(service.url, 'GET', '/healthz'),
      await call(service.url, 'GET', '/nothing'),
      await call(service.url, 'PUT', '/healthz'),
      await upload(service.url, tenant.uploaderKey, anUpload()),
      await upload(service.url, 'none', {}),
      await upload(service.url, tenant.uploaderKey, {}),
    ]
    for (const { headers } of answers) {
      expect(Object.fromEntries(headers)).toMatchObject(SECURITY)
      expect(headers.get('x-powered-by')).toBeNull()
      expect(headers.get('server')).toBeNull()
      expect(headers.get('set-cookie')).toBeNull()
    }
  })

  test('for CORS are never sent except by the routes for pages, whatever a browser requests', async () => {
    const headers = {
      Origin: 'https://evil.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    }
    for (const { path, method } of declared.filter((one) => !PAGE_PATHS.includes(one.path)))
      for (const asked of ['OPTIONS', method.toUpperCase()]) {
        const answer = await requestRaw(
          service.url + path.replace(/:\w+/g, 'none'),
          { method: asked, headers },
          (request) => request.end(),
        )
        const cors = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))
        expect(cors, `${asked} ${path}`).toEqual([])
      }
  })
})

test('of more than 200 errors, the first 200 are returned', async () => {
  const additionalInfo = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${n}`.repeat(101), n]))
  const { body } = await upload(service.url, tenant.uploaderKey, { ...anUpload(), additionalInfo })
  expect(Object.keys(body.errors)).toHaveLength(100)
  expect(Object.values(body.errors).flat()).toHaveLength(200)
})
