import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { createApiKey, KEY_PREFIX, listApiKeys, revokeApiKey } from '../../db/accounts/api-keys.ts'
import type { KeyRole } from '../../db/accounts/key-scopes.ts'
import { suspendSubscription } from '../../db/accounts/subscriptions.ts'
import { anUpload } from '../support/captures.ts'
import { assignInfo, readByCode, upload } from '../support/client.ts'
import { type Service, startService, type Tenant } from '../support/service.ts'
import { PROJECT } from '../support/start-process.ts'

let service: Service
let tenant: Tenant

beforeAll(async () => {
  service = await startService({ worker: false, insightWaitMs: 0 })
  tenant = await service.openTenant()
})
afterAll(() => service.stop())

const makeKey = (role: KeyRole = 'uploader', options: { expiresInDays?: number } = {}, of = tenant) =>
  createApiKey(service.db, { subscriptionId: of.subscriptionId, role, ...options })

const titleWith = async (key: string) => (await upload(service.url, key, {})).body.title

/** Every change of a credential works within 5 s. */
const expectSoon = (key: string, title: string) =>
  vi.waitFor(async () => expect(await titleWith(key)).toBe(title), { timeout: 5_000, interval: 100 })

test('a key works only for the endpoints of its role', async () => {
  const { uploaderKey, requesterKey } = tenant
  const { status, body } = await upload(service.url, requesterKey, anUpload())
  expect([status, body.title]).toEqual([403, 'forbidden'])
  const info = { referenceNumber: 'none', additionalInfo: { clientId: 'C-1' } }
  expect((await assignInfo(service.url, requesterKey, info)).body.title).toBe('forbidden')
  expect((await readByCode(service.url, uploaderKey, 'none')).body.title).toBe('forbidden')

  expect((await upload(service.url, uploaderKey, anUpload())).status).toBe(200)
  expect((await assignInfo(service.url, uploaderKey, info)).body.title).toBe('dataset_not_found')
  expect((await readByCode(service.url, requesterKey, 'none')).body.title).toBe('dataset_not_found')
})

test('a request without the role changes nothing', async () => {
  const body = anUpload()
  await upload(service.url, tenant.requesterKey, body)
  expect(await service.db('datasets').where({ reference_number: body.referenceNumber })).toEqual([])
})

test('a key is 256 random bits after a recognisable prefix, and stored as a hash only', async () => {
  const { id, key } = await makeKey()
  expect(key.startsWith(KEY_PREFIX)).toBe(true)
  const secret = Buffer.from(key.slice(KEY_PREFIX.length), 'base64url')
  expect(secret).toHaveLength(32)
  const { rows } = await service.db.raw('select row_to_json(k)::text as text from api_keys k where id = ?', [
    id,
  ])
  expect(rows[0].text).not.toContain(key.slice(KEY_PREFIX.length))
  expect(rows[0].text).not.toContain(secret.toString('hex'))
})

test('the pattern for secret scanners finds every key, and nothing longer or shorter', async () => {
  const [, pattern = ''] =
    /API key.*?```\n(.*?)\n```/s.exec(readFileSync(join(PROJECT, 'SECURITY.md'), 'utf8')) ?? []
  expect(pattern).toContain(KEY_PREFIX)
  const finder = new RegExp(`(?:^|[^0-9A-Za-z_-])(${pattern})(?:$|[^0-9A-Za-z_-])`)
  for (const { key } of await Promise.all(Array.from({ length: 50 }, () => makeKey()))) {
    for (const text of [
      key,
      `Bearer ${key}`,
      `INKLING_KEY="${key}"`,
      `{"key":"${key}"}`,
      `https://x/${key}?a`,
    ])
      expect(finder.exec(text)?.[1]).toBe(key)
    for (const text of [key.slice(0, -1), `${key}x`, `x${key}`, key.toUpperCase()])
      expect(text).not.toMatch(finder)
  }
})

test('the pattern for secret scanners finds every signing key in an environment, and no public key', async () => {
  const [, pattern = ''] =
    /private signing key.*?```\n(.*?)\n```/s.exec(readFileSync(join(PROJECT, 'SECURITY.md'), 'utf8')) ?? []
  for (const jwk of await Promise.all(Array.from({ length: 20 }, makeSigningKey))) {
    const { d, ...publicPart } = jwk
    for (const text of [JSON.stringify({ keys: [jwk] }), JSON.stringify({ keys: [jwk] }, null, 2)])
      expect(new RegExp(pattern).exec(text)?.[0]).toContain(d)
    expect(JSON.stringify({ keys: [publicPart] })).not.toMatch(new RegExp(pattern))
  }
})

test('keys are identified by their prefix, and a key without a stored one works', async () => {
  const other = await service.openTenant()
  const made = [await makeKey('uploader', {}, other), await makeKey('requester', {}, other)]
  await service.db('api_keys').where({ id: made[0]?.id }).update({ prefix: null })
  const listed = await listApiKeys(service.db, other.subscriptionId)
  expect(listed.slice(-2).map(({ prefix }) => prefix)).toEqual([null, made[1]?.key.slice(0, 10)])
  expect(await titleWith(made[0]?.key ?? '')).toBe('validation_failed')
})

test('a key that is revoked or expired before its first use never works', async () => {
  const [revoked, expired] = [await makeKey(), await makeKey('uploader', { expiresInDays: 1 })]
  await revokeApiKey(service.db, tenant.subscriptionId, revoked.id)
  await service.db('api_keys').where({ id: expired.id }).update({ expires_at: new Date() })
  expect(await titleWith(revoked.key)).toBe('unauthenticated')
  expect(await titleWith(expired.key)).toBe('unauthenticated')
})

test('lastUsedAt is the time of the last authenticated request', async () => {
  const [used, revoked, unused] = [await makeKey(), await makeKey(), await makeKey()]
  await revokeApiKey(service.db, tenant.subscriptionId, revoked.id)
  const before = Date.now()
  await upload(service.url, used.key, {})
  await upload(service.url, revoked.key, {})
  await service.flushCounts() // no request waits for it

  const keys = new Map((await listApiKeys(service.db, tenant.subscriptionId)).map((key) => [key.id, key]))
  const lastUsedAt = keys.get(used.id)?.lastUsedAt?.getTime() ?? 0
  expect(lastUsedAt).toBeGreaterThan(before - 1_000)
  expect(lastUsedAt).toBeLessThan(Date.now() + 1_000)
  expect(keys.get(revoked.id)?.lastUsedAt).toBeNull()
  expect(keys.get(unused.id)?.lastUsedAt).toBeNull()
})

test('a key reaches only the datasets of its own subscription', async () => {
  const other = await service.openTenant()
  const body = anUpload()
  await upload(service.url, tenant.uploaderKey, body)
  const info = { referenceNumber: body.referenceNumber, additionalInfo: { clientId: 'C-1' } }
  expect((await assignInfo(service.url, other.uploaderKey, info)).body.title).toBe('dataset_not_found')
  expect((await readByCode(service.url, other.requesterKey, body.referenceNumber)).body.title).toBe(
    'dataset_not_found',
  )
  expect((await readByCode(service.url, tenant.requesterKey, body.referenceNumber)).body.title).toBe(
    'insight_not_ready',
  )
})

/** Together: what was learnt of a credential is believed for some seconds, which each of these has to wait for. */
describe.concurrent('within 5 s', () => {
  test('a revoked key is rejected within 5 s', async () => {
    const { id, key } = await makeKey()
    expect(await titleWith(key)).toBe('validation_failed')
    await revokeApiKey(service.db, tenant.subscriptionId, id)
    await expectSoon(key, 'unauthenticated')
    const { status, headers } = await upload(service.url, key, {})
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="inkling"'])
  })

  test('a key is rejected within 5 s of its expiry', async () => {
    const { id, key } = await makeKey('uploader', { expiresInDays: 1 })
    expect(await titleWith(key)).toBe('validation_failed')
    await service.db('api_keys').where({ id }).update({ expires_at: new Date() })
    await expectSoon(key, 'unauthenticated')
  })

  test('the keys of a suspended subscription get 403 within 5 s, and work again when it is resumed', async () => {
    const suspended = await service.openTenant()
    const { key } = await makeKey('uploader', {}, suspended)
    expect(await titleWith(key)).toBe('validation_failed')
    await suspendSubscription(service.db, suspended.subscriptionId, true)
    await expectSoon(key, 'subscription_suspended')
    expect((await upload(service.url, key, {})).status).toBe(403)
    await suspendSubscription(service.db, suspended.subscriptionId, false)
    await expectSoon(key, 'validation_failed')
  })
})
