import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createAuditedApiKey } from '../../db/accounts/api-keys.ts'
import { suspendSubscription } from '../../db/accounts/subscriptions.ts'
import type { Actor } from '../../db/audit/actor.ts'
import { queryRows } from '../../db/postgres/database.ts'
import { attemptLogin, call, logIn } from '../support/client.ts'
import { addUser, PASSWORD, type Service, startService, type Tenant } from '../support/service.ts'

const USERS = '/api/users/v1'
const CHOSEN = 'a password of my own'

let service: Service

beforeAll(async () => {
  service = await startService({ worker: false })
})
afterAll(() => service.stop())

/** A subscription with an analyst and an admin. */
interface Party extends Tenant {
  readonly adminEmail: string
  readonly adminId: number
  readonly token: string
}

async function openParty(): Promise<Party> {
  const tenant = await service.openTenant()
  const adminEmail = anEmail('admin')
  const adminId = await addUser(service.db, tenant.subscriptionId, adminEmail, 'admin')
  return { ...tenant, adminEmail, adminId, token: await logIn(service.url, { userEmail: adminEmail }) }
}

const anEmail = (name: string) => `${name}-${crypto.randomUUID()}@lender.example`

const list = ({ token }: Party, query = '') => call(service.url, 'GET', `${USERS}${query}`, { token })
const invite = ({ token }: Party, userEmail: string, role = 'analyst') =>
  call(service.url, 'POST', USERS, { token, body: { userEmail, role } })
const change = ({ token }: Party, id: number, body: object) =>
  call(service.url, 'PATCH', `${USERS}/${id}`, { token, body })
const renew = ({ token }: Party, id: number) =>
  call(service.url, 'POST', `${USERS}/${id}/invitation`, { token })
const accept = (token: string, password = CHOSEN) =>
  call(service.url, 'POST', '/api/account/v1/invitation', { body: { token, password } })

const find = async (party: Party, email: string) =>
  (await list(party)).body.items.find(({ userEmail }: { userEmail: string }) => userEmail === email)

const listRecords = ({ subscriptionId }: Party) =>
  queryRows<{ actor: string; action: string; subject: string; detail: object }>(
    service.db,
    `select actor, action, subject, detail from audit_events
     where subscription_id = ? and action like 'user.%' order by id`,
    [subscriptionId],
  )

test('an invited user sets a password by the link, once, and signs in', async () => {
  const party = await openParty()
  const userEmail = anEmail('Invited')
  const invited = await invite(party, userEmail)
  expect(invited.status).toBe(200)
  const days = (Date.parse(`${invited.body.expiresAt}Z`) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(6.9)
  expect(days).toBeLessThanOrEqual(7)
  expect(await find(party, userEmail.toLowerCase())).toMatchObject({
    id: invited.body.id,
    role: 'analyst',
    state: 'invited',
    lastLoginAt: null,
    linkExpiresAt: invited.body.expiresAt,
  })
  expect((await attemptLogin(service.url, userEmail, CHOSEN)).status).toBe(401)

  const accepted = await accept(invited.body.token)
  expect([accepted.status, accepted.body]).toEqual([
    200,
    { userEmail: userEmail.toLowerCase(), subscription: party.name },
  ])
  expect((await attemptLogin(service.url, userEmail, CHOSEN)).status).toBe(200)
  expect(await find(party, userEmail.toLowerCase())).toMatchObject({
    state: 'active',
    lastLoginAt: expect.any(String),
    linkExpiresAt: null,
  })
  const again = await accept(invited.body.token, 'another password')
  expect([again.status, again.body.title]).toEqual([401, 'invalid_credentials'])
  expect(again.body.detail).toContain('ask an admin')
  expect(await listRecords(party)).toEqual([
    {
      actor: party.adminEmail,
      action: 'user.invite',
      subject: userEmail.toLowerCase(),
      detail: { role: 'analyst' },
    },
    { actor: userEmail.toLowerCase(), action: 'user.accept', subject: userEmail.toLowerCase(), detail: {} },
  ])
})

test('one of two concurrent uses of a link sets the password', async () => {
  const party = await openParty()
  const { body } = await invite(party, anEmail('twice'))
  const answers = await Promise.all([accept(body.token, `${CHOSEN} 1`), accept(body.token, `${CHOSEN} 2`)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
})

test('the token of a link is stored as a hash only', async () => {
  const party = await openParty()
  const { body } = await invite(party, anEmail('hashed'))
  const stored = JSON.stringify(await service.db('invitations').select())
  expect(stored).not.toContain(body.token)
  expect(stored).not.toContain(Buffer.from(body.token, 'base64url').toString('hex'))
})

test('a link that is expired, replaced, made up or of a disabled user sets no password', async () => {
  const party = await openParty()
  const invited = async () => (await invite(party, anEmail('late'))).body
  const [old, replaced, disabled] = [await invited(), await invited(), await invited()]
  await service.db('invitations').where({ user_id: old.id }).update({ expires_at: new Date() })
  const renewed = await renew(party, replaced.id)
  await change(party, disabled.id, { disabled: true })
  await change(party, disabled.id, { disabled: false })
  for (const token of [old.token, replaced.token, disabled.token, 'made-up'])
    expect((await accept(token)).body.title).toBe('invalid_credentials')
  expect((await accept(renewed.body.token, 'short')).body.errors).toEqual({
    password: ['must have at least 12 characters'],
  })
  await suspendSubscription(service.db, party.subscriptionId, true)
  expect((await accept(renewed.body.token)).body.title).toBe('subscription_suspended')
  await suspendSubscription(service.db, party.subscriptionId, false)
  expect((await accept(renewed.body.token)).status).toBe(200)
})

test('a new link resets a password: the old one works until then, and then the sessions end', async () => {
  const party = await openParty()
  const { id } = await find(party, party.userEmail)
  const token = await logIn(service.url, party)
  const link = await renew(party, id)
  expect((await attemptLogin(service.url, party.userEmail)).status).toBe(200)
  expect((await accept(link.body.token)).status).toBe(200)
  expect((await attemptLogin(service.url, party.userEmail)).status).toBe(401)
  expect((await attemptLogin(service.url, party.userEmail, CHOSEN)).status).toBe(200)
  const read = () => call(service.url, 'GET', '/api/account/v1/session', { token })
  await vi.waitFor(async () => expect((await read()).status).toBe(401), { timeout: 5_000 })
  expect((await listRecords(party)).map(({ action }) => action)).toEqual(['user.reset', 'user.accept'])
})

test('an e-mail is invited once by each subscription, whichever others have it', async () => {
  const [party, other] = [await openParty(), await openParty()]
  const answers = [
    await invite(party, party.userEmail.toUpperCase()),
    await invite(party, ` ${other.userEmail}`),
    await invite(party, other.userEmail.toUpperCase()),
    await invite(party, other.userEmail),
  ]
  expect(answers.map(({ status }) => status)).toEqual([409, 400, 200, 409])
  expect(answers[0]?.body.detail).toContain('taken')
  expect((await invite(party, 'no e-mail')).body.errors).toEqual({ userEmail: ['must be an e-mail address'] })
  expect(await listRecords(party)).toHaveLength(1)
})

test('a changed role applies soon; a disabled user is signed out and cannot sign in until enabled', async () => {
  const party = await openParty()
  const { id } = await find(party, party.userEmail)
  const token = await logIn(service.url, party)
  const changed = await change(party, id, { role: 'admin' })
  expect(changed.body).toMatchObject({ id, role: 'admin', state: 'active' })
  const readUsers = () => call(service.url, 'GET', USERS, { token })
  await vi.waitFor(async () => expect((await readUsers()).status).toBe(200), { timeout: 5_000 })

  expect((await change(party, id, { disabled: true })).body.state).toBe('disabled')
  await vi.waitFor(async () => expect((await readUsers()).status).toBe(401), { timeout: 5_000 })
  expect((await attemptLogin(service.url, party.userEmail)).body.title).toBe('invalid_credentials')
  expect((await renew(party, id)).status).toBe(409)

  expect((await change(party, id, { disabled: false })).body.state).toBe('active')
  expect((await attemptLogin(service.url, party.userEmail)).status).toBe(200)
  expect((await readUsers()).status).toBe(401) // what was ended stays so
  await change(party, id, { disabled: false, role: 'admin' }) // as it is: nothing to record
  expect((await listRecords(party)).map(({ action, detail }) => [action, detail])).toEqual([
    ['user.role', { role: 'admin', before: 'analyst' }],
    ['user.disable', {}],
    ['user.enable', {}],
  ])
})

test('users cannot disable themselves, and the last active admin cannot be demoted', async () => {
  const party = await openParty()
  const itself = await change(party, party.adminId, { disabled: true })
  expect([itself.status, itself.body.title]).toEqual([409, 'conflict'])
  // an invited admin has no password yet
  await invite(party, anEmail('other-admin'), 'admin')
  const last = await change(party, party.adminId, { role: 'analyst' })
  expect([last.status, last.body.detail]).toEqual([409, expect.stringContaining('last active admin')])

  const { id } = await find(party, party.userEmail)
  await change(party, id, { role: 'admin' })
  expect((await change(party, party.adminId, { role: 'analyst' })).status).toBe(200)
})

test('one of two admins who demote each other concurrently stays admin', async () => {
  const party = await openParty()
  const { id } = await find(party, party.userEmail)
  await change(party, id, { role: 'admin' })
  const other = { ...party, token: await logIn(service.url, party) }
  const answers = await Promise.all([
    change(party, id, { role: 'analyst' }),
    change(other, party.adminId, { role: 'analyst' }),
  ])
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
  const admins = await service.db('users').where({ subscription_id: party.subscriptionId, role: 'admin' })
  expect(admins.length).toBeGreaterThanOrEqual(1)
})

test('users are listed by e-mail, in pages', async () => {
  const party = await openParty()
  for (const name of ['d', 'b', 'c']) await invite(party, anEmail(name))
  const whole = (await list(party)).body
  expect(whole.next).toBeNull()
  const emails = whole.items.map(({ userEmail }: { userEmail: string }) => userEmail)
  expect(emails).toHaveLength(5)
  expect(emails).toEqual(emails.toSorted())
  const parts = []
  let cursor = ''
  do {
    const { body } = await list(party, `?limit=2${cursor && `&cursor=${cursor}`}`)
    expect(body.items.length).toBeLessThanOrEqual(2)
    parts.push(...body.items)
    cursor = body.next ?? ''
  } while (cursor)
  expect(parts).toEqual(whole.items)
  expect((await list(party, '?cursor=%00')).body.title).toBe('validation_failed')
})

test('an invalid user id is not found, and an empty change is rejected', async () => {
  const party = await openParty()
  for (const id of [0, 999_999_999, Number.NaN]) {
    expect((await change(party, id, { role: 'admin' })).status).toBe(404)
    expect((await renew(party, id)).status).toBe(404)
  }
  expect((await change(party, party.adminId, {})).status).toBe(400)
})

test('a password change revokes an open link to set a password', async () => {
  const party = await openParty()
  const { id } = await find(party, party.userEmail)
  const link = await renew(party, id)
  const changed = await call(service.url, 'POST', '/api/account/v1/password', {
    token: await logIn(service.url, party),
    body: { currentPassword: PASSWORD, newPassword: CHOSEN },
  })
  expect(changed.status).toBe(204)
  expect((await find(party, party.userEmail)).linkExpiresAt).toBeNull()
  expect((await accept(link.body.token, 'of somebody else')).body.title).toBe('invalid_credentials')
  expect((await attemptLogin(service.url, party.userEmail, CHOSEN)).status).toBe(200)
})

const remove = ({ token }: Party, id: number, query = '') =>
  call(service.url, 'DELETE', `${USERS}/${id}${query}`, { token })

/** Adds an admin to a party. */
async function addAdmin(party: Party): Promise<Party> {
  const adminEmail = anEmail('other-admin')
  const adminId = await addUser(service.db, party.subscriptionId, adminEmail, 'admin')
  return { ...party, adminEmail, adminId, token: await logIn(service.url, { userEmail: adminEmail }) }
}

test('a deleted user is signed out, their e-mail is free again and records keep it; admins stay', async () => {
  const party = await openParty()
  const { id } = await find(party, party.userEmail)
  const token = await logIn(service.url, party)
  expect((await remove(party, party.adminId)).body.detail).toContain('yourself')
  expect((await remove(party, id)).status).toBe(204)
  expect((await remove(party, id)).status).toBe(404)
  expect((await attemptLogin(service.url, party.userEmail)).status).toBe(401)
  const read = () => call(service.url, 'GET', '/api/account/v1/session', { token })
  await vi.waitFor(async () => expect((await read()).status).toBe(401), { timeout: 5_000 })
  expect((await invite(party, party.userEmail)).status).toBe(200)
  expect((await listRecords(party)).map(({ action, subject }) => [action, subject])).toEqual([
    ['user.delete', party.userEmail],
    ['user.invite', party.userEmail],
  ])

  // of two admins who delete each other, one stays
  const other = await addAdmin(party)
  const answers = await Promise.all([remove(party, other.adminId), remove(other, party.adminId)])
  expect(answers.filter(({ status }) => status === 204).length).toBe(1)
})

test.each([
  ['disabled', (party: Party, id: number) => change(party, id, { disabled: true })],
  ['demoted', (party: Party, id: number) => change(party, id, { role: 'analyst' })],
  ['deleted', (party: Party, id: number) => remove(party, id)],
] as const)('links of an admin who was %s since set no password', async (_, end) => {
  const party = await openParty()
  const issuer = await addAdmin(party)
  const [invited, own] = [await invite(issuer, anEmail('invited')), await invite(party, anEmail('own'))]
  const { id } = await find(party, party.userEmail)
  const reset = await renew(issuer, id)
  await end(party, issuer.adminId)
  for (const { body } of [invited, reset])
    expect((await accept(body.token)).body.title).toBe('invalid_credentials')
  // also when they become an admin again, or if the link was issued at the same moment
  await service.db('users').where({ id: issuer.adminId }).update({ role: 'admin', disabled_at: null })
  expect((await accept(invited.body.token)).body.title).toBe('invalid_credentials')
  await service.db('invitations').where({ user_id: own.body.id }).update({ issued_by: 999_999_999 })
  expect((await accept(own.body.token)).body.title).toBe('invalid_credentials')
})

test('whoever disables or deletes a user decides on the keys that the user created', async () => {
  const party = await openParty()
  const maker = await addAdmin(party)
  const make = (path: string, body: object) => call(service.url, 'POST', path, { token: maker.token, body })
  const key = await make('/api/keys/v1', { label: 'backend', role: 'uploader' })
  const ended = await make('/api/keys/v1', { label: 'old', role: 'uploader' })
  const siteKey = await make('/api/site-keys/v1', { label: 'shop', origins: ['https://shop.example'] })
  await call(service.url, 'DELETE', `/api/keys/v1/${ended.body.id}`, { token: maker.token })
  const listKeys = async (path: string) => {
    const { body } = await call(service.url, 'GET', path, { token: party.token })
    return body.items
  }
  expect(await listKeys('/api/keys/v1')).toContainEqual(
    expect.objectContaining({ id: key.body.id, createdBy: maker.adminEmail }),
  )

  const keys = [
    { kind: 'api_key', id: key.body.id, label: 'backend' },
    { kind: 'site_key', id: siteKey.body.id, label: 'shop' },
  ]
  for (const { status, body } of [
    await change(party, maker.adminId, { disabled: true }),
    await remove(party, maker.adminId),
  ])
    expect([status, body.title, body.keys]).toEqual([409, 'key_decision_required', keys])
  expect(await find(party, maker.adminEmail)).toMatchObject({ state: 'active' })

  expect((await change(party, maker.adminId, { disabled: true, keys: 'keep' })).status).toBe(200)
  const actor: Actor = { kind: 'user', id: maker.adminId, name: maker.adminEmail } // of a credential that is cached
  const late = { subscriptionId: party.subscriptionId, role: 'uploader', actor } as const
  expect(await createAuditedApiKey(service.db, late)).toBeUndefined()
  expect((await listKeys('/api/site-keys/v1'))[0]).toMatchObject({
    state: 'live',
    createdBy: maker.adminEmail,
  })
  expect((await remove(party, maker.adminId, '?keys=revoke')).status).toBe(204)
  for (const path of ['/api/keys/v1', '/api/site-keys/v1'])
    for (const { createdBy, state } of await listKeys(path))
      if (createdBy === maker.adminEmail) expect(state).toBe('revoked')
  const actions = await service
    .db('audit_events')
    .where({ subscription_id: party.subscriptionId })
    .pluck('action')
  expect(actions.slice(-3)).toEqual(['key.revoke', 'site_key.revoke', 'user.delete'])
})
