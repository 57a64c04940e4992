import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { FEATURES } from '../../db/capture/features.ts'
import { marksOf } from '../../db/capture/store-policies.ts'
import manifest from '../../package.json' with { type: 'json' }
import { generateCaptures } from '../../scripts/captures/generate-captures.ts'
import { aCapture } from '../support/captures.ts'
import { call } from '../support/client.ts'
import { BACKENDS, type Service, startService } from '../support/service.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ worker: false })
})
afterAll(() => service.stop())

const get = (path: string, headers: Record<string, string> = {}) =>
  call(service.url, 'GET', path, { headers })

describe.each(BACKENDS)('health, with the queue on %s', (backend) => {
  test('/healthz and /readyz return ok', async () => {
    const started = await startService({ backend, worker: false })
    const { version } = manifest
    for (const [path, expected] of [
      ['/healthz', { status: 'ok', version }],
      ['/readyz', { status: 'ok' }],
    ] as const) {
      const { status, body } = await call(started.url, 'GET', path)
      expect([path, status, body]).toEqual([path, 200, expected])
    }
    await started.stop()
  })
})

describe('/docs', () => {
  test('is a page whose files all come from this service', async () => {
    const { status, headers, body } = await get('/docs')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const files = [...body.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map((match) => match[1] ?? '')
      .filter((file) => !file.startsWith('data:'))
    expect(files.length).toBeGreaterThanOrEqual(3)
    for (const file of files) {
      expect(file.startsWith('/docs/')).toBe(true)
      const asset = await get(file)
      expect(asset.status, file).toBe(200)
      expect(asset.headers.get('content-type')).toMatch(file.endsWith('.css') ? /^text\/css/ : /javascript/)
      expect(asset.body.length).toBeGreaterThan(20)
    }
    expect((await get('/docs/start.js')).body).toContain("'/openapi.json'")
    expect((await get('/docs/swagger-ui-bundle.js')).body).toContain('SwaggerUIBundle')
  })

  test('lets a browser use scripts and styles of this service only', async () => {
    const policy = (await get('/docs')).headers.get('content-security-policy') ?? ''
    const directives = new Map(policy.split('; ').map((one) => [one.split(' ')[0], one]))
    expect(directives.get('default-src')).toBe("default-src 'none'")
    expect(directives.get('script-src')).toBe("script-src 'self'")
    expect(directives.get('style-src')).toBe("style-src 'self'")
    expect(directives.get('connect-src')).toBe("connect-src 'self'")
    expect(directives.get('frame-ancestors')).toBe("frame-ancestors 'none'")
    expect((await get('/docs')).body).not.toMatch(/<script>|\son\w+=/)
  })

  test('is sent uncompressed to clients that do not accept gzip', async () => {
    const zipped = await get('/docs/start.js', { 'Accept-Encoding': 'gzip' })
    const plain = await get('/docs/start.js', { 'Accept-Encoding': 'identity' })
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(zipped.body).toBe(plain.body)
  })

  test('is also found with a slash at the end', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await fetch(`${service.url}/docs/`, { method, redirect: 'manual' })
      expect([status, headers.get('location')]).toEqual([301, '/docs'])
    }
    expect(await (await fetch(`${service.url}/docs/`)).text()).toBe((await get('/docs')).body)
    expect((await fetch(`${service.url}/docs/`, { method: 'POST' })).status).toBe(404)
  })

  test.each([
    '/docs/package.json',
    '/docs/../package.json',
    '/docs/..%2fpackage.json',
    '/docs//',
    '/docs/index.html',
  ])('has no file %s', async (path) => {
    expect((await get(path)).status).toBe(404)
  })
})

test('/features lists every feature of the registry, at least 40, each with a description', async () => {
  const { status, body } = await get('/features')
  expect(status).toBe(200)
  expect(body.features.length).toBeGreaterThanOrEqual(40)
  expect(body.features).toEqual(
    Object.entries(FEATURES).map(([name, definition]) => ({
      name,
      ...definition,
      stores: marksOf(definition),
    })),
  )
  for (const { name, type, unit, description, source, platforms } of body.features) {
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
    expect(description.length).toBeGreaterThan(5)
    expect(source.length).toBeGreaterThan(2)
    expect(platforms.length).toBeGreaterThan(0)
    expect(typeof unit, name).toBe(type === 'number' ? 'string' : 'undefined')
  }
})

test('/features marks what stores restrict, each with a reason and the address of the policy', async () => {
  const { body } = await get('/features')
  const effectsOf = (name: string) =>
    body.features
      .find((feature: { name: string }) => feature.name === name)
      .stores.map(({ store, effect }: { store: string; effect: string }) => `${store}: ${effect}`)
  expect(effectsOf('contacts_count')).toEqual(['google_play_loans: forbidden'])
  expect(effectsOf('media_images_count')).toEqual(['google_play_loans: forbidden'])
  expect(effectsOf('sms_received_count')).toEqual(['google_play_loans: needs_declaration'])
  expect(effectsOf('apps_count')).toEqual(['google_play_loans: limited'])
  expect(effectsOf('device_uptime_hours')).toEqual(['apple_required_reasons: forbidden'])
  expect(effectsOf('device_storage_free_share')).toEqual(['apple_required_reasons: forbidden'])
  expect(effectsOf('behaviour_keys_count')).toEqual([])
  for (const { reason, source } of body.features.flatMap(({ stores }: { stores: object[] }) => stores)) {
    expect(reason.length).toBeGreaterThan(20)
    expect(source).toMatch(/^https:\/\/(support\.google|developer\.apple)\.com\//)
  }
})

describe('/schemas/capture-1.json', () => {
  let schema: z.ZodType

  beforeAll(async () => {
    const { status, body } = await get('/schemas/capture-1.json')
    expect([status, body.$schema]).toEqual([200, 'https://json-schema.org/draft/2020-12/schema'])
    schema = z.fromJSONSchema(body)
  })

  test('accepts captures of every platform, and unknown members', () => {
    for (const { capture } of generateCaptures({
      seed: 7,
      count: 12,
      platforms: { android: 1, ios: 1, web: 1 },
    }))
      expect(schema.safeParse(JSON.parse(JSON.stringify(capture))).error).toBeUndefined()
    expect(schema.safeParse(aCapture({ futureSection: { a: 1 } })).error).toBeUndefined()
  })

  test.each([
    ['of another format', { format: 'capture/2' }],
    ['of another platform', { platform: 'symbian' }],
    ['without a time', { collectedAt: undefined }],
    ['with a time that is none', { collectedAt: 'yesterday' }],
    ['with a permission without a name', { permissions: [{ granted: true }] }],
    ['with less than no contacts', { contacts: { count: -1 } }],
  ])('does not take a capture %s', (_, members) => {
    expect(schema.safeParse(JSON.parse(JSON.stringify(aCapture(members)))).success).toBe(false)
  })
})
