import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { formatCursor } from '../../api/events/event-cursor.ts'
import { createApiKey, createAuditedApiKey } from '../../db/accounts/api-keys.ts'
import { recordEvents } from '../../db/events/record-events.ts'
import { anActor } from '../support/actors.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { assignInfo, call, logIn, upload } from '../support/client.ts'
import { addUser, type Service, startService, type Tenant } from '../support/service.ts'
import { stageScorecard } from '../support/staged-scorecard.ts'

let service: Service
let tenant: Tenant
let key: string
let token: string

beforeAll(async () => {
  service = await startService()
  tenant = await service.openTenant()
  const { subscriptionId } = tenant
  await addUser(service.db, subscriptionId, 'events@lender.example', 'admin')
  token = await logIn(service.url, { userEmail: 'events@lender.example' })
})
afterAll(() => service.stop())

interface Page {
  readonly events: { id: string; type: string; timestamp: string; data: Record<string, unknown> }[]
  readonly cursor: string
  readonly hasMore: boolean
}

const read = async (query = '', credential = key) => {
  const answer = await call(service.url, 'GET', `/api/events/v1?${query}`, { token: credential })
  return { ...answer, page: answer.body as Page }
}

const namesOf = ({ events }: Page) => events.map(({ type, data }) => `${type} ${data.referenceNumber}`)

describe('the feed', () => {
  test('has what happens to datasets from the moment when a key may read it, each in order', async () => {
    const { subscriptionId, uploaderKey } = tenant
    const send = (referenceNumber: string, members = {}) =>
      upload(service.url, uploaderKey, { ...anUpload(aCapture(), { referenceNumber }), ...members })
    await send('before')
    const actor = anActor('events@lender.example')
    const created = await createAuditedApiKey(service.db, {
      ...{ subscriptionId, actor, label: 'feed', scopes: ['events:read'] },
    })
    key = created?.key ?? ''
    const { page: empty } = await read('types=dataset.received')
    expect(empty).toMatchObject({ events: [], hasMore: false })

    await send('good')
    await send('bad', { data: Buffer.from('not gzip').toString('base64') })
    await expect
      .poll(async () => namesOf((await read()).page))
      .toEqual(expect.arrayContaining(['dataset.ready good', 'dataset.invalid bad']))
    await assignInfo(service.url, uploaderKey, { referenceNumber: 'good', additionalInfo: { branch: 'a' } })
    await expect.poll(async () => namesOf((await read()).page)).toContain('insight.recalculated good')
    await call(service.url, 'DELETE', '/api/datasets/v1/good', { token })
    await expect.poll(async () => namesOf((await read()).page)).toContain('dataset.deleted good')

    const { page } = await read()
    expect(namesOf(page).filter((name) => name.endsWith(' good'))).toEqual(
      ['dataset.received', 'dataset.ready', 'insight.recalculated', 'dataset.deleted'].map(
        (type) => `${type} good`,
      ),
    )
    expect(page.events.find(({ type }) => type === 'dataset.invalid')?.data).toEqual({
      ...{ referenceNumber: 'bad', code: expect.any(String) },
    })
    for (const { id, timestamp } of page.events) {
      expect(id).toMatch(/^evt_[0-9A-Za-z]{22}$/)
      expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000)
    }
    expect(namesOf(page)).not.toContain('dataset.received before')
  })

  test('is read in pages and by types, and goes on where a cursor was given', async () => {
    const { page: all } = await read()
    const ids: string[] = []
    let cursor: string | undefined
    for (let hasMore = true; hasMore; ) {
      const { page } = await read(`limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      ids.push(...page.events.map(({ id }) => id))
      ;({ cursor, hasMore } = page)
    }
    expect(ids).toEqual(all.events.map(({ id }) => id))
    expect((await read(`cursor=${cursor}`)).page).toEqual({ events: [], cursor, hasMore: false })
    const { page } = await read('types=dataset.ready&types=dataset.invalid')
    const names = namesOf(page).filter((name) => !name.endsWith(' before'))
    expect(names.toSorted()).toEqual(['dataset.invalid bad', 'dataset.ready good'])
    expect((await read('types=dataset.exploded')).status).toBe(400)
  })

  test('answers a request that waits when something happens, or at its end', async () => {
    const { page: latest } = await read('cursor=latest')
    const beganAt = performance.now()
    expect((await read(`cursor=${latest.cursor}&wait=1`)).page.events).toEqual([])
    expect(performance.now() - beganAt).toBeGreaterThan(900)
    const waiting = read(`cursor=${latest.cursor}&wait=30&types=scorecard.promoted`)
    const { code } = await stageScorecard(service.db, tenant.subscriptionId, 'feed-card')
    const { page } = await waiting
    expect(page.events[0]).toMatchObject({ type: 'scorecard.promoted', data: { code } })
  })

  test('passes by no event when a page ends between the events of one transaction', async () => {
    const { subscriptionId } = tenant
    let { cursor } = (await read('cursor=latest')).page
    const type = 'scorecard.promoted'
    await recordEvents(
      service.db,
      [1, 2, 3].map((n) => ({ subscriptionId, type, data: { n } })),
    )
    for (const n of [1, 2, 3]) {
      const { page } = await read(`cursor=${cursor}&limit=1&wait=10`)
      expect(page.events).toMatchObject([{ data: { n } }])
      cursor = page.cursor
    }
    expect((await read(`cursor=${cursor}`)).page.events).toEqual([])
  })

  test('repeats events for a cursor of an event that the database does not have', async () => {
    const { page } = await read()
    for (const at of [undefined, new Date()]) {
      const cursor = formatCursor(tenant.subscriptionId, { position: 2 ** 50, id: 1, at })
      expect((await read(`cursor=${cursor}`)).page).toEqual(page)
    }
  })

  test('rejects cursors that are not of this subscription, or too old', async () => {
    const { subscriptionId } = tenant
    const faultOf = async (cursor: string) => {
      const { status, body } = await read(`cursor=${encodeURIComponent(cursor)}`)
      expect([status, body.title]).toEqual([400, 'validation_failed'])
      return body.errors.cursor[0]
    }
    const notOurs = expect.stringContaining('of a response to your subscription')
    for (const cursor of ['x', '1-1-aaaaaaaa', formatCursor(subscriptionId + 1, { position: 1, id: 1 })])
      expect(await faultOf(cursor)).toEqual(notOurs)
    await service
      .db('event_recording')
      .where({ subscription_id: subscriptionId })
      .update({ pruned_through: 100 })
    expect(await faultOf(formatCursor(subscriptionId, { position: 99, id: 1 }))).toContain('is older than')
  })

  test('lets a bounded number of requests of a subscription wait', async () => {
    const { cursor } = (await read('cursor=latest')).page
    const answers = await Promise.all(Array.from({ length: 25 }, () => read(`cursor=${cursor}&wait=1`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    expect(answers.filter(({ body }) => body.title === 'rate_limited')).toHaveLength(5)
  })
})

describe('webhooks', () => {
  const manage = (method: string, path = '', body?: object, credential = token) =>
    call(service.url, method, `/api/webhooks/v1${path}`, { token: credential, ...(body && { body }) })

  test('are created, changed, rotated, tested and deleted by an admin or a key with the scope', async () => {
    const { key: manager } = await createApiKey(service.db, {
      ...{ subscriptionId: tenant.subscriptionId, scopes: ['webhooks:manage'] },
    })
    const created = await manage(
      'POST',
      '',
      { label: ' backend ', url: 'https://backend.example/hooks?t=secret' },
      manager,
    )
    expect(created.body).toMatchObject({
      ...{
        label: 'backend',
        types: [],
        state: 'enabled',
        secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
      },
    })
    const { id, secret } = created.body
    const listed = await manage('GET')
    expect(listed.body.items).toHaveLength(1)
    expect(JSON.stringify(listed.body)).not.toContain(secret)
    const [audited] = await service
      .db('audit_events')
      .where({ action: 'webhook.create', subject: String(id) })
    expect(audited.detail).toEqual({ label: 'backend', types: [], url: 'https://backend.example/hooks?…' })

    expect(
      (await manage('PATCH', `/${id}`, { types: ['dataset.ready'], enabled: false })).body,
    ).toMatchObject({
      ...{ state: 'disabled', disabledReason: 'requested', types: ['dataset.ready'] },
    })
    expect((await manage('POST', `/${id}/test`)).body.title).toBe('conflict')
    expect((await manage('POST', `/${id}/replay`, { since: '2026-11-20', until: '2026-11-21' })).status).toBe(
      409,
    )
    expect((await manage('PATCH', `/${id}`, { enabled: true })).body.state).toBe('enabled')
    expect((await manage('POST', `/${id}/test`)).body.eventId).toMatch(/^evt_/)
    expect(JSON.stringify((await read()).body)).not.toContain('webhook.test')

    for (let n = 0; n < 4; n++) expect((await manage('POST', `/${id}/secrets`, {})).status).toBe(200)
    expect((await manage('POST', `/${id}/secrets`, {})).body.title).toBe('conflict')
    const ended = await manage('POST', `/${id}/secrets`, { overlapHours: 0 })
    expect(ended.body.secrets).toHaveLength(1)
    expect((await manage('DELETE', `/${id}`)).status).toBe(204)
    expect((await manage('GET', `/${id}`)).status).toBe(404)
  })

  test('are at most 10 of a subscription, and their URLs are of web servers', async () => {
    const faultOf = async (url: string) =>
      (await manage('POST', '', { label: 'x', url })).body.errors?.url?.[0]
    expect(await faultOf('http://backend.example/')).toBe('must begin with https://')
    expect(await faultOf('https://a:b@backend.example/')).toContain('without user and password')
    expect(await faultOf('ftp://backend.example/')).toContain('must begin with https://')
    const create = () => manage('POST', '', { label: 'x', url: 'https://backend.example/' })
    for (let n = 0; n < 10; n++) expect((await create()).status).toBe(200)
    expect((await create()).body.title).toBe('conflict')
  })
})
