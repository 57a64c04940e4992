import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createApiKey, MAX_LIVE_KEYS } from '../../db/accounts/api-keys.ts'
import { anUpload } from '../support/captures.ts'
import { call, logIn, upload } from '../support/client.ts'
import { addUser, type Service, startService, type Tenant } from '../support/service.ts'

/** A subscription and what its admin may do. */
interface Party extends Tenant {
  readonly userEmail: string
  readonly token: string
}

let service: Service
let admins = 0

beforeAll(async () => {
  service = await startService({ worker: false })
})
afterAll(() => service.stop())

async function openParty(): Promise<Party> {
  const tenant = await service.openTenant()
  const userEmail = `keys${++admins}@lender.example`
  await addUser(service.db, tenant.subscriptionId, userEmail, 'admin')
  return { ...tenant, userEmail, token: await logIn(service.url, { userEmail }) }
}

const create = ({ token }: Party, body: object) => call(service.url, 'POST', '/api/keys/v1', { token, body })

const revoke = ({ token }: Party, id: number | string) =>
  call(service.url, 'DELETE', `/api/keys/v1/${id}`, { token })

const list = ({ token }: Party, query = '') => call(service.url, 'GET', `/api/keys/v1?${query}`, { token })

const listAudit = ({ subscriptionId }: Party) =>
  service
    .db('audit_events')
    .where({ subscription_id: subscriptionId })
    .whereLike('action', 'key.%')
    .orderBy('id')

test('a key is returned once, works at once, and is rejected within 5 s of being revoked', async () => {
  const party = await openParty()
  const created = await create(party, { label: ' loan backend ', role: 'uploader', expiresInDays: 30 })
  expect(created.body).toEqual({ id: expect.any(Number), key: expect.stringMatching(/^ink_[\w-]{43}$/) })
  expect(created.headers.get('cache-control')).toBe('no-store')
  const { id, key } = created.body
  expect((await upload(service.url, key, anUpload())).status).toBe(200)
  await service.flushCounts()

  const listed = await list(party)
  const [first] = listed.body.items
  expect(first).toEqual({
    id,
    label: 'loan backend',
    role: 'uploader',
    scopes: ['datasets:write'],
    prefix: key.slice(0, 10),
    state: 'live',
    createdBy: expect.stringMatching(/@lender.example$/),
    createdAt: expect.any(String),
    expiresAt: expect.any(String),
    revokedAt: null,
    lastUsedAt: expect.any(String),
    networks: null,
    mode: 'live',
  })
  const days = (Date.parse(`${first.expiresAt}Z`) - Date.parse(`${first.createdAt}Z`)) / 86_400_000
  expect(Math.round(days)).toBe(30)
  expect(JSON.stringify(listed.body)).not.toContain(key.slice(0, 11))

  expect((await revoke(party, id)).status).toBe(204)
  await vi.waitFor(async () => expect((await upload(service.url, key, anUpload())).status).toBe(401), {
    timeout: 5_000,
    interval: 100,
  })
  expect((await list(party)).body.items.at(-1)).toMatchObject({ id, state: 'revoked' })
})

test('changes of keys are recorded once, without the key', async () => {
  const party = await openParty()
  const { id, key } = (await create(party, { label: 'scoring', role: 'requester' })).body
  for (let times = 0; times < 2; times++) expect((await revoke(party, id)).status).toBe(204)
  const recorded = await listAudit(party)
  const by = { actor: party.userEmail, subject: String(id), detail: { role: 'requester', label: 'scoring' } }
  expect(recorded).toMatchObject([
    { action: 'key.create', ...by },
    { action: 'key.revoke', ...by },
  ])
  expect(JSON.stringify(recorded)).not.toContain(key.slice(4, 14))
})

test('a key with scopes does what they allow; they are listed and recorded', async () => {
  const party = await openParty()
  const scopes = ['datasets:read', 'datasets:write', 'datasets:read']
  const { id, key } = (await create(party, { label: 'backend', scopes })).body
  const body = anUpload()
  expect((await upload(service.url, key, body)).status).toBe(200)
  const path = `/api/datasets/v1/${body.referenceNumber}`
  expect((await call(service.url, 'GET', path, { token: key })).body).toMatchObject({ status: 'received' })
  expect((await call(service.url, 'DELETE', path, { token: key })).body).toMatchObject({
    ...{ status: 403, title: 'forbidden' },
    detail: 'The API key does not have the scope datasets:delete',
  })
  const sorted = ['datasets:write', 'datasets:read']
  expect((await list(party)).body.items[0]).toMatchObject({ id, role: 'custom', scopes: sorted })
  await revoke(party, id)
  expect(await listAudit(party)).toMatchObject([
    { action: 'key.create', detail: { label: 'backend', scopes: sorted } },
    { action: 'key.revoke', detail: { label: 'backend', scopes: sorted } },
  ])
})

test('a key deletes a dataset and is named in its timeline and in the audit log', async () => {
  const party = await openParty()
  const { key } = (
    await create(party, { label: 'privacy desk', scopes: ['datasets:read', 'datasets:delete'] })
  ).body
  const body = anUpload()
  await upload(service.url, party.uploaderKey, body)
  const path = `/api/datasets/v1/${body.referenceNumber}`
  expect((await call(service.url, 'DELETE', path, { token: key })).status).toBe(204)
  expect((await call(service.url, 'DELETE', path, { token: key })).body.title).toBe('dataset_deleted')
  const { events } = (await call(service.url, 'GET', `${path}/timeline`, { token: key })).body
  const by = { actor: 'privacy desk', actorKind: 'key', actorId: expect.any(Number) }
  expect(events.at(-1)).toMatchObject({ event: 'deleted', ...by })
  const [recorded] = await service
    .db('audit_events')
    .where({ action: 'dataset.delete', subject: body.referenceNumber })
  expect(recorded).toMatchObject({ actor: 'privacy desk', actor_kind: 'key' })
})

test('a revoked key keeps the time of its first revocation', async () => {
  const party = await openParty()
  const { id } = (await create(party, { label: 'scoring', role: 'requester' })).body
  const revokedAt = async () =>
    (await list(party)).body.items.find((item: { id: number }) => item.id === id).revokedAt
  await revoke(party, id)
  const first = await revokedAt()
  await revoke(party, id)
  expect(await revokedAt()).toBe(first)
})

test('a key of another subscription, or an unknown one, cannot be revoked', async () => {
  const [party, other] = [await openParty(), await openParty()]
  const { id, key } = (await create(other, { label: 'theirs', role: 'uploader' })).body
  for (const unknown of [id, 999_999_999, 0, '-1', '1e3', 'x', '99999999999999999999', '1%00']) {
    const { status, body } = await revoke(party, unknown)
    expect([unknown, status, body.title]).toEqual([unknown, 404, 'not_found'])
  }
  expect((await upload(service.url, key, anUpload())).status).toBe(200)
  expect(await listAudit(party)).toEqual([])
})

test('each error of a new key is named', async () => {
  const party = await openParty()
  const errorsOf = async (body: object) => {
    const answer = await create(party, body)
    expect(answer.status).toBe(400)
    return answer.body.errors
  }
  expect(Object.keys(await errorsOf({}))).toEqual(['label', 'role'])
  const good = { label: 'scoring', role: 'requester' }
  expect(await errorsOf({ ...good, role: 'admin' })).toHaveProperty('role')
  expect(await errorsOf({ ...good, scopes: ['datasets:read'] })).toEqual({
    scopes: ['must not be sent with a role: a key has one or the other'],
  })
  expect(await errorsOf({ label: 'scoring', scopes: [] })).toEqual({
    scopes: ['must have at least one scope'],
  })
  expect(await errorsOf({ label: 'scoring', scopes: ['datasets:read', 'datasets:*'] })).toEqual({
    'scopes.1': [expect.stringContaining('must be one of datasets:write, insights:read')],
  })
  for (const scopes of ['datasets:read', Array(7).fill('datasets:read'), [null]])
    expect(Object.keys(await errorsOf({ label: 'scoring', scopes }))[0]).toMatch(/^scopes/)
  for (const label of ['', '  ', 'x'.repeat(101), 'two\nlines', 'nul\0', '\ud800', 7])
    expect(await errorsOf({ ...good, label })).toHaveProperty('label')
  for (const label of [
    'ann@lender.example',
    'key of ann@lender',
    'ann＠lender.example',
    'ann\u2060@\ufefflender.example',
  ])
    expect(await errorsOf({ ...good, label })).toMatchObject({
      label: [expect.stringContaining('must not look like an e-mail address')],
    })
  for (const expiresInDays of [0, -1, 1.5, 36_501, '7'])
    expect(await errorsOf({ ...good, expiresInDays })).toHaveProperty('expiresInDays')
  expect(await listAudit(party)).toEqual([])
})

test('live keys come first, then ended ones, newest first, in pages', async () => {
  const party = await openParty()
  const ids = []
  for (const label of ['1', '2', '3', '4', '5'])
    ids.push((await create(party, { label, role: 'uploader', expiresInDays: 1 })).body.id)
  await revoke(party, ids[3])
  await service.db('api_keys').where({ id: ids[1] }).update({ expires_at: new Date() })

  const labels: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body } = await list(party, `limit=2${cursor && `&cursor=${cursor}`}`)
    expect(body.items.length).toBeLessThanOrEqual(2)
    labels.push(
      ...body.items.map(({ label, state }: { label: string | null; state: string }) => label ?? state),
    )
    cursor = body.next
  }
  // the two without a label are the tenant's own
  expect(labels).toEqual(['5', '3', '1', 'live', 'live', '4', '2'])
})

test('an invalid cursor or limit is rejected', async () => {
  const party = await openParty()
  for (const query of [
    'cursor=x',
    'cursor=live-1.5',
    'cursor=live-9999999999',
    'limit=0',
    'limit=201',
    'limit=x',
  ])
    expect([query, (await list(party, query)).status]).toEqual([query, 400])
})

test('the number of live keys is limited, even under concurrent requests', async () => {
  const party = await openParty()
  await service.db.raw(
    `insert into api_keys (subscription_id, key_hash, role)
     select ?, decode(md5(i::text || ?), 'hex'), 'uploader' from generate_series(1, ?) i`,
    [party.subscriptionId, party.userEmail, MAX_LIVE_KEYS - 2 - 1],
  )
  const made = await Promise.all(
    Array.from({ length: 4 }, (_, at) => create(party, { label: `last ${at}`, role: 'uploader' })),
  )
  expect(made.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409])
  const overLimit = made.find(({ status }) => status === 409)
  expect(overLimit?.body).toMatchObject({
    title: 'conflict',
    detail: expect.stringContaining('revoke some first'),
  })

  await revoke(party, made.find(({ status }) => status === 200)?.body.id)
  expect((await create(party, { label: 'in its place', role: 'uploader' })).status).toBe(200)
})

test('the list of a subscription that had 100,000 keys is fast', async () => {
  const party = await openParty()
  await service.db.raw(
    `insert into api_keys (subscription_id, key_hash, prefix, role, label, revoked_at)
     select ?, decode(md5(i::text || ?), 'hex'), 'ink_AbC123', 'uploader', 'old ' || i, now() from generate_series(1, 100000) i`,
    [party.subscriptionId, party.userEmail],
  )
  await createApiKey(service.db, { subscriptionId: party.subscriptionId, role: 'uploader', label: 'newest' })
  const tookMs: number[] = []
  for (let n = 0; n < 3; n++) {
    const began = performance.now()
    const { body } = await list(party)
    expect(body.items[0]).toMatchObject({ label: 'newest', state: 'live' })
    tookMs.push(performance.now() - began)
  }
  expect(Math.min(...tookMs)).toBeLessThan(1_000)
})
