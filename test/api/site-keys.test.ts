import { afterAll, beforeAll, expect, test } from 'vitest'
import { NewSiteKey } from '../../api/site-keys/site-key-schemas.ts'
import { MAX_LIVE_SITE_KEYS } from '../../db/collections/site-keys.ts'
import { call, logIn } from '../support/client.ts'
import { addUser, type Service, startService } from '../support/service.ts'
import { addSiteKey } from '../support/site-keys.ts'

/** An admin of a subscription of its own. */
interface Admin {
  readonly subscriptionId: number
  readonly userEmail: string
  readonly token: string
}

let service: Service
let admins = 0

beforeAll(async () => {
  service = await startService({ worker: false })
})
afterAll(() => service.stop())

async function openAdmin(): Promise<Admin> {
  const { subscriptionId } = await service.openTenant()
  const userEmail = `site-keys${++admins}@lender.example`
  await addUser(service.db, subscriptionId, userEmail, 'admin')
  return { subscriptionId, userEmail, token: await logIn(service.url, { userEmail }) }
}

const create = ({ token }: Admin, body: object) =>
  call(service.url, 'POST', '/api/site-keys/v1', { token, body })

const change = ({ token }: Admin, id: number | string, body: object) =>
  call(service.url, 'PATCH', `/api/site-keys/v1/${id}`, { token, body })

const rotate = ({ token }: Admin, id: number | string, body: object = {}) =>
  call(service.url, 'POST', `/api/site-keys/v1/${id}/rotate`, { token, body })

const revoke = ({ token }: Admin, id: number | string) =>
  call(service.url, 'DELETE', `/api/site-keys/v1/${id}`, { token })

const list = ({ token }: Admin, query = '') =>
  call(service.url, 'GET', `/api/site-keys/v1?${query}`, { token })

const listAudit = ({ subscriptionId }: Admin) =>
  service
    .db('audit_events')
    .where({ subscription_id: subscriptionId })
    .whereLike('action', 'site_key.%')
    .orderBy('id')

const shop = { label: 'shop', origins: ['https://shop.example'] }

test('a site key is shown whole, with level claimed, no modules and 10,000 collections per day by default', async () => {
  const admin = await openAdmin()
  const created = await create(admin, { ...shop, label: ' shop ' })
  expect(created.status).toBe(200)
  expect(created.body).toEqual({
    id: expect.any(Number),
    key: expect.stringMatching(/^pk_[\w-]{32}$/),
    label: 'shop',
    level: 'claimed',
    origins: ['https://shop.example'],
    modules: [],
    maxCollectionsPerDay: 10_000,
    state: 'live',
    createdBy: expect.stringMatching(/@lender.example$/),
    createdAt: expect.any(String),
    expiresAt: null,
    revokedAt: null,
    lastUsedOn: null,
    days: [],
  })
  expect((await list(admin)).body).toEqual({ items: [created.body], next: null })
})

test('use is listed by day for the last 30 days, and the last use by its day', async () => {
  const admin = await openAdmin()
  const { subscriptionId } = admin
  const { id } = await addSiteKey(service.db, { subscriptionId })
  await addSiteKey(service.db, { subscriptionId, label: 'unused' })
  await service.db.raw(
    `insert into site_key_days (subscription_id, site_key_id, day, opened, completed, abandoned, rejected, bytes)
     select ?, ?, (now() at time zone 'UTC')::date - before, opened, 2, 1, 4, 3000000000
     from (values (0, 0), (1, 3), (29, 5), (30, 9)) used (before, opened)`,
    [subscriptionId, id],
  )
  const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
  const counts = { completed: 2, abandoned: 1, rejected: 4, bytes: 3_000_000_000 }
  const [unused, used] = (await list(admin)).body.items
  expect([unused.days, unused.lastUsedOn]).toEqual([[], null])
  expect(used.days).toEqual([
    { day: dayBefore(29), opened: 5, ...counts },
    { day: dayBefore(1), opened: 3, ...counts },
    { day: dayBefore(0), opened: 0, ...counts },
  ])
  expect(used.lastUsedOn).toBe(dayBefore(1)) // today, it was only rejected
})

test.each([
  ['https://shop.example/', 'must be https://shop.example, as browsers send it'],
  ['https://shop.example/apply?a=1', 'must be https://shop.example, as browsers send it'],
  ['https://Shop.Example', 'must be https://shop.example, as browsers send it'],
  ['https://shop.example:443', 'must be https://shop.example, as browsers send it'],
  ['https://ann:pass@shop.example', 'must be https://shop.example, as browsers send it'],
  ['https://münchen.example', 'must be https://xn--mnchen-3ya.example, as browsers send it'],
  [' https://shop.example', 'must be https://shop.example, as browsers send it'],
  ['https://*.shop.example', 'must not have a wildcard; list each origin'],
  ['*', 'must not have a wildcard; list each origin'],
  ['http://shop.example', 'must begin with https://'],
  ['http://localhost.shop.example', 'must begin with https://'],
  ['ftp://shop.example', 'must begin with https://'],
  ['javascript:alert(1)', 'must begin with https://'],
  ['blob:https://shop.example', 'must begin with https://'],
  ['shop.example', 'must be an origin such as https://shop.example'],
  ['null', 'must be an origin such as https://shop.example'],
  ['', 'must be an origin such as https://shop.example'],
  [`https://${'a'.repeat(300)}.example`, 'must have at most 270 characters'],
])('the origin %j is rejected: %s', (origin, message) => {
  const { error } = NewSiteKey.safeParse({ ...shop, origins: ['https://shop.example', origin] })
  expect(error?.issues).toMatchObject([{ path: ['origins', 1], message: expect.stringContaining(message) }])
})

test('origins may have a port, and be local pages without TLS', async () => {
  const admin = await openAdmin()
  const origins = [
    ...['https://shop.example:8443', 'https://localhost', 'http://localhost:3000', 'http://127.0.0.1:8080'],
    ...['https://[2001:db8::1]', 'https://xn--mnchen-3ya.example'],
  ]
  expect((await create(admin, { ...shop, origins })).body.origins).toEqual(origins)
})

test('each error of a new key is named, and nothing is created', async () => {
  const admin = await openAdmin()
  const errorsOf = async (body: object) => {
    const answer = await create(admin, body)
    expect([answer.status, answer.body.title]).toEqual([400, 'validation_failed'])
    return answer.body.errors
  }
  expect(Object.keys(await errorsOf({}))).toEqual(['label', 'origins'])
  expect(await errorsOf({ ...shop, origins: ['https://shop.example/'] })).toEqual({
    'origins.0': [expect.stringContaining('must be https://shop.example')],
  })
  const many = Array.from({ length: 21 }, (_, at) => `https://shop${at}.example`)
  for (const origins of [[], many, ['https://shop.example', 'https://shop.example'], 'https://shop.example'])
    expect(await errorsOf({ ...shop, origins })).toHaveProperty('origins')
  expect(await errorsOf({ ...shop, level: 'secret' })).toHaveProperty('level')
  expect(await errorsOf({ ...shop, modules: ['audio'] })).toHaveProperty(['modules.0'])
  expect(await errorsOf({ ...shop, modules: ['graphics', 'graphics'] })).toHaveProperty('modules')
  for (const maxCollectionsPerDay of [0, -1, 1.5, 10_000_001, '7'])
    expect(await errorsOf({ ...shop, maxCollectionsPerDay })).toHaveProperty('maxCollectionsPerDay')
  for (const label of ['', '  ', 'x'.repeat(101), 'two\nlines'])
    expect(await errorsOf({ ...shop, label })).toHaveProperty('label')
  expect((await list(admin)).body.items).toEqual([])
  expect(await listAudit(admin)).toEqual([])
})

test('a change replaces what it names, keeps key and level, and is recorded with the values before', async () => {
  const admin = await openAdmin()
  const { body: made } = await create(admin, { ...shop, level: 'verified' })
  const changed = await change(admin, made.id, {
    ...{ origins: ['https://www.shop.example'], modules: ['graphics'], level: 'open' },
    label: 'shop',
  })
  const expected = { ...made, origins: ['https://www.shop.example'], modules: ['graphics'] }
  expect([changed.status, changed.body]).toEqual([200, expected])
  expect((await change(admin, made.id, { modules: ['graphics'] })).body).toEqual(expected) // nothing changes
  expect((await listAudit(admin)).slice(1)).toMatchObject([
    {
      ...{ action: 'site_key.change', actor: admin.userEmail, subject: String(made.id) },
      detail: {
        ...{ label: 'shop', origins: ['https://www.shop.example'], modules: ['graphics'] },
        before: { origins: ['https://shop.example'], modules: [] },
      },
    },
  ])
  expect((await change(admin, made.id, {})).body.title).toBe('validation_failed')
  expect((await change(admin, made.id, { level: 'open' })).body.title).toBe('validation_failed')
})

test('a rotated key works beside its successor until the overlap ends, and is rotated once', async () => {
  const admin = await openAdmin()
  const { body: old } = await create(admin, { ...shop, level: 'open', modules: ['graphics'] })
  const { status, body: successor } = await rotate(admin, old.id)
  expect(status).toBe(200)
  expect(successor).toEqual({
    ...old,
    ...{
      id: expect.any(Number),
      key: expect.stringMatching(/^pk_[\w-]{32}$/),
      createdAt: expect.any(String),
    },
  })
  expect(successor.key).not.toBe(old.key)
  const [, before] = (await list(admin)).body.items
  expect(before).toMatchObject({ id: old.id, state: 'live' })
  const hours = (Date.parse(`${before.expiresAt}Z`) - Date.now()) / 3_600_000
  expect(Math.round(hours)).toBe(24)

  const again = await rotate(admin, old.id)
  expect([again.status, again.body.detail]).toEqual([409, expect.stringContaining('rotate its successor')])
  await rotate(admin, successor.id, { overlapHours: 0 })
  const states = (await list(admin)).body.items.map(({ state }: { state: string }) => state)
  expect(states).toEqual(['live', 'live', 'expired'])
  expect((await change(admin, successor.id, { label: 'late' })).status).toBe(409)
  expect((await listAudit(admin)).slice(2)).toMatchObject([
    { action: 'site_key.rotate', subject: String(successor.id), detail: { overlapHours: 0 } },
  ])
  for (const overlapHours of [-1, 721, 1.5, 'x'])
    expect((await rotate(admin, successor.id, { overlapHours })).status).toBe(400)
})

test('a revoked key ends once and for good', async () => {
  const admin = await openAdmin()
  const { body: made } = await create(admin, shop)
  expect((await revoke(admin, made.id)).status).toBe(204)
  const [first] = (await list(admin)).body.items
  expect(first).toMatchObject({ state: 'revoked', revokedAt: expect.any(String) })
  expect((await revoke(admin, made.id)).status).toBe(204)
  expect((await list(admin)).body.items).toEqual([first])
  for (const answer of [await change(admin, made.id, { label: 'late' }), await rotate(admin, made.id)])
    expect([answer.status, answer.body.title]).toEqual([409, 'conflict'])
  const actions = (await listAudit(admin)).map(({ action }) => action)
  expect(actions).toEqual(['site_key.create', 'site_key.revoke'])
})

test('an unknown id is not found', async () => {
  const admin = await openAdmin()
  for (const id of [999_999_999, 0, '-1', '1e3', 'x', '99999999999999999999', '1%00'])
    for (const answer of [
      await change(admin, id, { label: 'x' }),
      await rotate(admin, id),
      await revoke(admin, id),
    ])
      expect([id, answer.status, answer.body.title]).toEqual([id, 404, 'not_found'])
})

test('live keys come first, then ended ones, newest first, in pages', async () => {
  const admin = await openAdmin()
  const { subscriptionId } = admin
  const ids: number[] = []
  for (const label of ['1', '2', '3', '4'])
    ids.push((await addSiteKey(service.db, { subscriptionId, label })).id)
  await revoke(admin, ids[2] ?? 0)
  const first = await list(admin, 'limit=3')
  const second = await list(admin, `limit=3&cursor=${first.body.next}`)
  const labelsOf = ({ body }: typeof first) => body.items.map(({ label }: { label: string }) => label)
  expect([labelsOf(first), labelsOf(second), second.body.next]).toEqual([['4', '2', '1'], ['3'], null])
  for (const query of ['cursor=x', 'cursor=live-1.5', 'limit=0', 'limit=201'])
    expect([query, (await list(admin, query)).status]).toEqual([query, 400])
})

test('the number of live keys is limited, also for concurrent requests and rotations with an overlap', async () => {
  const admin = await openAdmin()
  await service.db.raw(
    `insert into site_keys (subscription_id, key, label, level, origins, max_collections_per_day)
     select ?, 'pk_' || md5(i::text || ?), 'many', 'claimed', '{https://shop.example}', 1 from generate_series(1, ?) i`,
    [admin.subscriptionId, admin.userEmail, MAX_LIVE_SITE_KEYS - 1],
  )
  const made = await Promise.all(Array.from({ length: 4 }, () => create(admin, shop)))
  expect(made.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
  expect(made.find(({ status }) => status === 409)?.body).toMatchObject({
    title: 'conflict',
    detail: expect.stringContaining('revoke some first'),
  })
  const id = made.find(({ status }) => status === 200)?.body.id
  expect((await rotate(admin, id)).status).toBe(409)
  expect((await rotate(admin, id, { overlapHours: 0 })).status).toBe(200)
  expect((await create(admin, shop)).status).toBe(409)
})
