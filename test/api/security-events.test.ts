import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { AUDIT_ACTIONS } from '../../db/audit/audit-actions.ts'
import { listSecurityEventCounts } from '../../db/audit/security-event-counts.ts'
import { verifyAudit } from '../../db/audit/verify-audit.ts'
import { anUpload } from '../support/captures.ts'
import { attemptLogin, call, upload } from '../support/client.ts'
import { addUser, PASSWORD, type Service, startService, type Tenant } from '../support/service.ts'
import { PROJECT } from '../support/start-process.ts'

const OPS_PASSWORD = 'a password of operators'
const ADDRESS = '203.0.113.20'
const headers = { 'X-Real-IP': ADDRESS }

let service: Service
let tenant: Tenant
beforeAll(async () => {
  service = await startService({ worker: false, trustedProxies: ['127.0.0.1'], opsPassword: OPS_PASSWORD })
})
afterAll(() => service.stop())
beforeEach(async () => {
  tenant = await service.openTenant()
})

/** The events of the tenant so far, oldest first, after those of creating it. */
async function events(of = tenant) {
  await service.flushCounts()
  return service
    .db('audit_events')
    .where({ subscription_id: of.subscriptionId, actor_kind: 'user' })
    .orderBy('id')
    .select('actor', 'actor_id', 'address', 'action', 'subject', 'detail', 'outcome')
}

const signIn = (password = PASSWORD, email = tenant.userEmail) =>
  attemptLogin(service.url, email, password, headers)

const send = (method: string, path: string, options: object = {}) =>
  call(service.url, method, path, { headers, ...options })

const countOf = async (event: string, reason: string) =>
  (await listSecurityEventCounts(service.db)).find((one) => one.event === event && one.reason === reason)
    ?.events ?? 0

test('sign-ins are recorded with who, from where and the outcome', async () => {
  await signIn('wrong')
  await signIn()
  expect(await events()).toEqual([
    {
      ...{ actor: tenant.userEmail, actor_id: expect.any(Number), address: ADDRESS },
      ...{ action: 'session.login', subject: null, detail: { reason: 'wrong_password' }, outcome: 'failure' },
    },
    expect.objectContaining({
      ...{ actor: tenant.userEmail, address: ADDRESS, action: 'session.login', outcome: 'success' },
      ...{ subject: expect.stringMatching(/^[0-9a-f-]{36}$/), detail: { method: 'password' } },
    }),
  ])

  for (let n = 0; n < 12; n++) await signIn('wrong')
  const throttled = (await events()).filter(({ detail }) => detail.reason === 'throttled')
  expect(throttled).toMatchObject([{ action: 'session.login', outcome: 'denied' }]) // once a minute
})

test('a sign-in with an e-mail of no user is logged by address and counted, and the e-mail is nowhere', async () => {
  const before = await countOf('session.login', 'unknown_user')
  await signIn('wrong', 'nobody@lender.example')
  await service.flushCounts()
  expect(await countOf('session.login', 'unknown_user')).toBe(before + 1)
  const line = service.logged.map((text) => JSON.parse(text)).findLast(({ msg }) => msg === 'security event')
  expect(line).toMatchObject({
    event: 'session.login',
    outcome: 'failure',
    reason: 'unknown_user',
    subscriptionId: null,
  })
  expect(service.logged.join('')).not.toContain('nobody@')
})

test('log-outs, ended sessions and the second use of a refresh token are recorded', async () => {
  const [first, second, third] = [(await signIn()).body, (await signIn()).body, (await signIn()).body]
  const refresh = () =>
    send('POST', '/api/account/v1/refresh', { body: { refresh_token: first.refresh_token } })
  expect((await refresh()).status).toBe(200)
  expect((await refresh()).status).toBe(401)
  expect((await refresh()).status).toBe(401) // its session has ended
  for (let n = 0; n < 2; n++)
    await send('POST', '/api/account/v1/logout', { body: { refresh_token: second.refresh_token } })
  await send('DELETE', '/api/account/v1/sessions', { token: third.access_token })
  expect((await events()).filter(({ action }) => action !== 'session.login')).toMatchObject([
    { action: 'session.reuse', outcome: 'denied', actor: tenant.userEmail, address: ADDRESS },
    { action: 'session.logout', outcome: 'success', actor: tenant.userEmail, address: ADDRESS },
    { action: 'session.revoke', detail: { all: true } },
  ])
})

test('views, searches and exports of datasets are recorded, views and searches once a minute', async () => {
  const { access_token: token } = (await signIn()).body
  const { referenceNumber, ...body } = anUpload()
  await upload(service.url, tenant.uploaderKey, { referenceNumber, ...body })
  for (let n = 0; n < 2; n++) {
    await send('GET', `/api/datasets/v1/${referenceNumber}`, { token })
    await send('POST', '/api/datasets/v1/search', { token, body: { clientId: 'C-secret', status: 'ready' } })
    await send('GET', '/api/exports/v1/datasets?clientId=C-secret', { token })
  }
  await send('GET', '/api/datasets/v1/none', { token })
  const recorded = (await events()).filter(({ action }) => action.startsWith('dataset.'))
  const exported = { action: 'dataset.export', subject: null, detail: { by: ['clientId'] } }
  expect(recorded).toHaveLength(4)
  expect(recorded).toEqual(
    expect.arrayContaining(
      [
        { action: 'dataset.view', subject: referenceNumber, detail: {} },
        { action: 'dataset.search', subject: null, detail: { status: 'ready', by: ['clientId'] } },
        exported,
        exported,
      ].map((event) => expect.objectContaining({ ...event, address: ADDRESS, outcome: 'success' })),
    ),
  )
  expect(await verifyAudit(service.db, tenant.subscriptionId)).toMatchObject({ problems: [] })
})

test('a call that the role does not allow is recorded', async () => {
  const { access_token: token } = (await signIn()).body
  for (let n = 0; n < 2; n++) expect((await send('GET', '/api/audit/v1', { token })).status).toBe(403)
  expect((await events()).slice(1)).toMatchObject([
    {
      actor: tenant.userEmail,
      action: 'access.denied',
      subject: 'listAudit',
      outcome: 'denied',
      address: ADDRESS,
    },
  ])
})

test('a wrong current password is recorded', async () => {
  const { access_token: token } = (await signIn()).body
  await send('POST', '/api/account/v1/password', {
    ...{ token, body: { currentPassword: 'wrong', newPassword: 'a new password of mine' } },
  })
  expect((await events()).at(-1)).toMatchObject({ action: 'user.password', outcome: 'failure' })
})

test('sign-ins to the pages of operators are counted and logged: failures each, successes once a minute', async () => {
  const open = (password: string) =>
    fetch(`${service.url}/ops`, {
      headers: {
        ...headers,
        Authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}`,
      },
    })
  for (let n = 0; n < 2; n++) {
    expect((await open('wrong')).status).toBe(401)
    expect((await open(OPS_PASSWORD)).status).toBe(200)
  }
  await service.flushCounts()
  expect(await countOf('operator.login', 'wrong_password')).toBe(2)
  expect(await countOf('operator.login', '')).toBe(1)
})

test('events are filtered by the kind of their actor and their outcome', async () => {
  await signIn('wrong')
  const admin = `admin-${tenant.userEmail}`
  await addUser(service.db, tenant.subscriptionId, admin, 'admin')
  const { access_token: token } = (await signIn(PASSWORD, admin)).body
  await service.flushCounts()
  const list = async (query: string) =>
    (await send('GET', `/api/audit/v1?${query}`, { token })).body.items.map(
      ({ actor, outcome }: { actor: string; outcome: string }) => `${actor} ${outcome}`,
    )
  expect(await list('outcome=failure')).toEqual([`${tenant.userEmail} failure`])
  expect(await list('actorKind=user')).toEqual([`${admin} success`, `${tenant.userEmail} failure`])
  expect(await list('actorKind=key')).toEqual([])
})

test('docs/security-events.md lists every event', () => {
  const text = readFileSync(join(PROJECT, 'docs/security-events.md'), 'utf8')
  const rows = [...text.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, event, meaning]) => [event, meaning])
  expect(rows).toEqual(Object.entries(AUDIT_ACTIONS))
})
