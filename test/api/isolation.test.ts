import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { REFRESH_COOKIE } from '../../api/account/session-cookies.ts'
import { formatCursor } from '../../api/events/event-cursor.ts'
import type { Endpoint } from '../../api/http/endpoint.ts'
import { createApiKey } from '../../db/accounts/api-keys.ts'
import { KEY_SCOPES } from '../../db/accounts/key-scopes.ts'
import { startSession } from '../../db/accounts/sessions.ts'
import { findTestSubscription } from '../../db/accounts/test-subscriptions.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import { PLAIN_VAULT } from '../../db/encryption/vault.ts'
import { beginExport } from '../../db/privacy/privacy-requests.ts'
import { erasePersons } from '../../worker/maintenance/erase-persons.ts'
import { anActor } from '../support/actors.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import {
  type Answer,
  assignInfo,
  call,
  declared,
  logIn,
  readByCode,
  readInsight,
  upload,
} from '../support/client.ts'
import { openFactors } from '../support/factor-subject.ts'
import { listRows } from '../support/list-rows.ts'
import { openClaimable } from '../support/pages.ts'
import {
  aPersonCall,
  FROM_PORTAL,
  nameOfRoute,
  REQUESTS,
  type RouteRequest,
  type Subject,
} from '../support/route-requests.ts'
import {
  addUser,
  inviteSomebody,
  keyWith,
  PASSWORD,
  type Service,
  startService,
  type Tenant,
} from '../support/service.ts'
import { addSiteKey } from '../support/site-keys.ts'
import { type LyingProvider, openLyingProvider } from '../support/sso/lying-provider.ts'
import { openSsoSubject } from '../support/sso/sso-subject.ts'
import { stageScorecard } from '../support/staged-scorecard.ts'
import { addWebhook } from '../support/webhooks.ts'

/** A subscription with all that it may see or change, and the credentials to do so. */
interface Party extends Tenant {
  readonly subject: Subject
  /** Of an admin, who may do whatever a user may. */
  readonly token: string
  /** A key with every scope. */
  readonly backendKey: string
}

let service: Service
let provider: LyingProvider
let ann: Party
let bob: Party

beforeAll(async () => {
  service = await startService({ insightWaitMs: 0 })
  provider = await openLyingProvider()
  ann = await openParty('secret-of-ann')
  bob = await openParty('secret-of-bob')
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await service.stop()
})

async function openParty(device: string): Promise<Party> {
  const tenant = await service.openTenant()
  const { subscriptionId, uploaderKey } = tenant
  const userEmail = `admin-${device}@lender.example`
  const userId = await addUser(service.db, subscriptionId, userEmail, 'admin')
  const token = await logIn(service.url, { userEmail })
  const webhookId = await addWebhook(service.db, subscriptionId, device)
  const referenceNumber = `reference-${device}`
  const body = anUpload(aCapture({ device: { id: device } }), { referenceNumber })
  expect((await upload(service.url, uploaderKey, body)).status).toBe(200)
  await assignInfo(service.url, uploaderKey, { referenceNumber, additionalInfo: { clientId: device } })
  await allIsProcessed()
  expect((await readInsight(service.url, token, referenceNumber)).status).toBe(200)
  const { refreshToken } = await startSession(service.db, { subscriptionId, userId })
  const invited = await inviteSomebody(service.db, subscriptionId)
  const { id: keyId } = await createApiKey(service.db, { subscriptionId, role: 'uploader', label: device })
  const { id: siteKeyId } = await addSiteKey(service.db, { subscriptionId, label: device })
  await recordAudit(service.db, {
    subscriptionId,
    actor: anActor(userEmail),
    action: 'key.create',
    subject: device,
  })
  const scorecard = await stageScorecard(service.db, subscriptionId, device)
  const subject = {
    ...{
      referenceNumber,
      userEmail,
      password: PASSWORD,
      refreshToken,
      keyId,
      siteKeyId,
      webhookId,
      scorecard,
    },
    refreshCookie: refreshToken,
    ...{ userId: invited.id, invitation: invited.token },
    ...{ privacyRequestId: (await beginExport(service.db, aPersonCall(subscriptionId))).id },
    ...(await openFactors(service, { subscriptionId, userId })),
    ...(await openSsoSubject(service.db, provider, { subscriptionId, name: device })),
    ...(await openClaimable(service.db, subscriptionId)),
  }
  const backendKey = await keyWith(service.db, subscriptionId, ...KEY_SCOPES)
  return { ...tenant, token, backendKey, subject }
}

async function allIsProcessed(): Promise<void> {
  const waiting = service.db('datasets').whereNotNull('ring_at')
  await vi.waitFor(async () => expect(await waiting.clone().pluck('id')).toEqual([]), { timeout: 10_000 })
}

/** What the route asks for, of this party: a token, a key, or each. */
const credentialsOf = ({ credential: { kind } }: Endpoint, { token, backendKey }: Party): string[] =>
  kind === 'key' ? [backendKey] : kind === 'either' ? [token, backendKey] : [token]

function send(endpoint: Endpoint, { path, body, headers }: RouteRequest, token: string): Promise<Answer> {
  return call(service.url, endpoint.method.toUpperCase(), path, {
    token,
    ...(body && { body }),
    ...(headers && { headers }),
  })
}

/** What a client sees, but for what differs between any two answers. */
function essence({ status, headers, body }: Answer) {
  const { date, 'x-request-id': id, ...rest } = Object.fromEntries(headers)
  return { status, headers: rest, body: { ...body, traceId: undefined } }
}

/** A try of Bob's: what he sends, with his credential, and what must become of it. */
type Try = (endpoint: Endpoint) => Promise<void>

/** Bob gets the same response for Ann's dataset as for an unknown one. */
const asUnknown: Try = async (endpoint) => {
  const request = REQUESTS[nameOfRoute(endpoint)]
  if (!request) throw new Error('There is no request to this route')
  for (const token of credentialsOf(endpoint, bob)) await asUnknownTo(token, endpoint, request)
}

async function asUnknownTo(
  token: string,
  endpoint: Endpoint,
  request: (subject: Subject) => RouteRequest,
): Promise<void> {
  const unknown = essence(
    await send(endpoint, request({ ...bob.subject, referenceNumber: 'unknown' }), token),
  )
  expect([unknown.status, unknown.body.title]).toEqual([404, 'dataset_not_found'])
  const { referenceNumber } = ann.subject
  expect(essence(await send(endpoint, request({ ...bob.subject, referenceNumber }), token))).toEqual(unknown)

  // by all means of saying whose it is
  const forged = request({ ...bob.subject, referenceNumber })
  const members = {
    subscriptionId: ann.subscriptionId,
    subscription_id: ann.subscriptionId,
    subscription: ann.name,
  }
  const query = new URLSearchParams(Object.entries(members).map(([name, value]) => [name, String(value)]))
  const answer = await call(service.url, endpoint.method.toUpperCase(), `${forged.path}?${query}`, {
    token,
    headers: { 'X-Subscription-Id': String(ann.subscriptionId) },
    ...(forged.body && { body: { ...forged.body, ...members } }),
  })
  expect(essence(answer)).toEqual(unknown)
  for (const path of [`../${ann.name}`, `${ann.subscriptionId} ${referenceNumber}`, `${referenceNumber}\0`])
    expect((await send(endpoint, request({ ...bob.subject, referenceNumber: path }), token)).status).not.toBe(
      200,
    )
}

/** Everybody gets the same, with nothing of anybody in it. */
const sameForAll: Try = async (endpoint) => {
  const request = REQUESTS[nameOfRoute(endpoint)]?.(ann.subject) ?? { path: '' }
  const answers = [ann, bob].map((party) => send(endpoint, request, party.token))
  const [one, other] = (await Promise.all(answers)).map(essence)
  expect(one).toEqual(other)
  for (const secret of ['secret-of-', ann.name, ann.uploaderKey, ann.subject.userEmail])
    expect(JSON.stringify(one)).not.toContain(secret)
}

/** A list has Bob's own and nothing of Ann's, whatever he says of whose he wants. */
const ownOnly: Try = async (endpoint) => {
  const query = `subscriptionId=${ann.subscriptionId}&subscription_id=${ann.subscriptionId}&subscription=${ann.name}`
  const answer = await call(service.url, 'GET', `${endpoint.path}?${query}`, { token: bob.token })
  expect(answer.status).toBe(200)
  expect(JSON.stringify(answer.body)).toContain('secret-of-bob')
  expect(JSON.stringify(answer.body)).not.toContain('secret-of-ann')
}

/** Bob gets the same response for Ann's scorecard or fragment as for an unknown one. */
const asUnknownCode =
  (...expected: [status: number, title: string]): Try =>
  async (endpoint) => {
    const request = REQUESTS[nameOfRoute(endpoint)]
    if (!request) throw new Error('There is no request to this route')
    const none = { code: ann.subject.scorecard.code, version: '0'.repeat(64), trialId: 999_999_999 }
    const [unknown, answer] = [
      essence(await send(endpoint, request({ ...bob.subject, scorecard: none }), bob.token)),
      essence(await send(endpoint, request(ann.subject), bob.token)),
    ]
    expect([answer.status, answer.body.title]).toEqual(expected)
    expect(answer).toEqual(unknown)
  }

/** Bob sees and changes what is his own, under whatever code. */
const nothingOfAnn: Try = async (endpoint) => {
  const request = REQUESTS[nameOfRoute(endpoint)]?.(ann.subject) ?? { path: '' }
  const answer = await send(endpoint, request, bob.token)
  expect(answer.status).toBe(200)
  const { code, ...body } = answer.body // the code is in the path
  for (const secret of ['secret-of-ann', ann.name, ann.subject.userEmail])
    expect(JSON.stringify(body)).not.toContain(secret)
}

/** Whoever does not know the random id of Ann's collection cannot name it, not by its number in the tables either. */
const ofNoCollection: Try = async (endpoint) => {
  const request = REQUESTS[nameOfRoute(endpoint)]
  if (!request) throw new Error('There is no request to this route')
  const { id } = await service.db('collections').where({ public_id: ann.subject.collection }).first()
  for (const collection of [`c_${'A'.repeat(22)}`, String(id), `${ann.subscriptionId} ${id}`]) {
    const answer = await send(endpoint, request({ ...bob.subject, collection }), bob.token)
    expect([answer.status, answer.body.title]).toEqual([404, 'collection_not_found'])
  }
}

/** Bob opens collections of his own only. */
const ownCollection: Try = async (endpoint) => {
  const request = REQUESTS[nameOfRoute(endpoint)]?.(bob.subject) ?? { path: '' }
  expect((await send(endpoint, request, ann.token)).status).toBe(200)
}

/** A user of Ann's is one that there is not. */
const ofNoUser: Try = async (endpoint) => {
  const request = REQUESTS[nameOfRoute(endpoint)]
  if (!request) throw new Error('There is no request to this route')
  const unknown = essence(await send(endpoint, request({ ...bob.subject, userId: 999_999 }), bob.token))
  expect([unknown.status, unknown.body.title]).toEqual([404, 'not_found'])
  const { userId } = ann.subject
  expect(essence(await send(endpoint, request({ ...bob.subject, userId }), bob.token))).toEqual(unknown)
}

/** Whatever Ann's dataset would be found by, Bob finds his own at most. */
const searchOwnOnly: Try = async (endpoint) => {
  for (const token of credentialsOf(endpoint, bob)) await searchOwnOnlyWith(token, endpoint)
}

async function searchOwnOnlyWith(token: string, endpoint: Endpoint): Promise<void> {
  const secret = 'secret-of-ann'
  const { referenceNumber } = ann.subject
  const search = (filters: Record<string, string>) =>
    endpoint.method === 'post'
      ? call(service.url, 'POST', endpoint.path, { token, body: filters })
      : call(service.url, 'GET', `${endpoint.path}?${new URLSearchParams(filters)}`, { token })
  expect(JSON.stringify((await search({})).body)).toContain(bob.subject.referenceNumber)
  for (const filters of [
    {},
    { subscriptionId: String(ann.subscriptionId) },
    { referenceNumber },
    { search: referenceNumber },
    { search: secret },
    { clientId: secret },
    { deviceId: secret },
  ]) {
    const answer = await search(filters as Record<string, string>)
    expect(answer.status).toBe(200)
    expect(JSON.stringify(answer.body)).not.toContain(secret)
  }
  expect((await search({ cursor: referenceNumber })).body.title).toBe('validation_failed')
}

/** A site key of Ann's is one that there is not. */
const ofNoSiteKey: Try = async (endpoint) => {
  const request = REQUESTS[nameOfRoute(endpoint)]
  if (!request) throw new Error('There is no request to this route')
  const unknown = essence(await send(endpoint, request({ ...bob.subject, siteKeyId: 999_999 }), bob.token))
  expect([unknown.status, unknown.body.title]).toEqual([404, 'not_found'])
  const { siteKeyId } = ann.subject
  expect(essence(await send(endpoint, request({ ...bob.subject, siteKeyId }), bob.token))).toEqual(unknown)
}

/** A webhook of Ann's is one that there is not. */
const ofNoWebhook: Try = async (endpoint) => {
  const request = REQUESTS[nameOfRoute(endpoint)]
  if (!request) throw new Error('There is no request to this route')
  const unknown = essence(await send(endpoint, request({ ...bob.subject, webhookId: 999_999 }), bob.token))
  expect([unknown.status, unknown.body.title]).toEqual([404, 'not_found'])
  const { webhookId } = ann.subject
  expect(essence(await send(endpoint, request({ ...bob.subject, webhookId }), bob.token))).toEqual(unknown)
}

/** A factor of Ann's is one that there is not. */
const ofNoFactor: Try = async (endpoint) => {
  const request = REQUESTS[nameOfRoute(endpoint)]
  if (!request) throw new Error('There is no request to this route')
  const factorId = crypto.randomUUID()
  const unknown = essence(await send(endpoint, request({ ...bob.subject, factorId }), bob.token))
  expect([unknown.status, unknown.body.title]).toEqual([404, 'not_found'])
  expect(essence(await send(endpoint, request({ ...bob.subject, ...ann.subject }), bob.token))).toEqual(
    unknown,
  )
}

/** Bob's code does not answer the challenge of a sign-in to Ann's subscription. */
const ofNoSignIn: Try = async (endpoint) => {
  const request = REQUESTS[nameOfRoute(endpoint)]
  const factorAnswer = { ...bob.subject.factorAnswer, ...challengeOf(ann.subject.factorAnswer) }
  const answer = await send(endpoint, request?.({ ...bob.subject, factorAnswer }) ?? { path: '' }, bob.token)
  expect([answer.status, answer.body.title]).toEqual([401, 'invalid_credentials'])
}

const challengeOf = (body: object) => ('challenge' in body ? { challenge: body.challenge } : {})

const TRIES: Record<string, Try> = {
  async 'POST /api/account/v1/login'(endpoint) {
    const answers = [ann.subject.userEmail, 'nobody@lender.example'].map((userEmail) =>
      call(service.url, 'POST', endpoint.path, {
        token: bob.token,
        body: { userEmail, password: 'the password of Bob' },
      }),
    )
    const [known, unknown] = (await Promise.all(answers)).map(essence)
    expect(known).toMatchObject({ status: 401, body: { title: 'invalid_credentials' } })
    expect(known).toEqual(unknown)
  },
  async 'POST /api/account/v1/refresh'(endpoint) {
    const [session] = await service.db('sessions').where({ subscription_id: ann.subscriptionId })
    for (const refresh_token of [session.id, bob.token, ann.token, bob.uploaderKey]) {
      const answer = await call(service.url, 'POST', endpoint.path, {
        token: bob.token,
        body: { refresh_token },
      })
      expect(answer.status).toBe(401)
    }
    const body = { refresh_token: bob.subject.refreshToken, subscription: ann.subscriptionId }
    const { body: own } = await call(service.url, 'POST', endpoint.path, { body })
    const { referenceNumber } = ann.subject
    expect((await readInsight(service.url, own.access_token, referenceNumber)).status).toBe(404)
  },
  async 'POST /api/account/v1/logout'(endpoint) {
    const [session] = await service.db('sessions').where({ subscription_id: ann.subscriptionId })
    for (const refresh_token of [session.id, bob.token, ann.token, bob.subject.refreshToken])
      await call(service.url, 'POST', endpoint.path, { token: bob.token, body: { refresh_token } })
  },
  async 'POST /api/account/v1/session'(endpoint) {
    const answers = [ann.subject.userEmail, 'nobody@lender.example'].map((userEmail) =>
      call(service.url, 'POST', endpoint.path, {
        body: { userEmail, password: 'the password of Bob' },
        headers: FROM_PORTAL,
      }),
    )
    const [known, unknown] = (await Promise.all(answers)).map(essence)
    expect(known).toMatchObject({ status: 401, body: { title: 'invalid_credentials' } })
    expect(known).toEqual(unknown)
  },
  async 'GET /api/account/v1/session'(endpoint) {
    const { body } = await call(service.url, 'GET', endpoint.path, { token: bob.token })
    expect(body).toMatchObject({ email: bob.subject.userEmail, subscription: bob.name })
  },
  async 'POST /api/account/v1/session/refresh'(endpoint) {
    for (const token of [bob.token, ann.token, bob.uploaderKey])
      await call(service.url, 'POST', endpoint.path, {
        headers: { ...FROM_PORTAL, Cookie: `${REFRESH_COOKIE}=${token}` },
      })
  },
  async 'DELETE /api/account/v1/session'(endpoint) {
    const [session] = await service.db('sessions').where({ subscription_id: ann.subscriptionId })
    for (const token of [session.id, bob.token, ann.token])
      await call(service.url, 'DELETE', endpoint.path, {
        headers: { ...FROM_PORTAL, Cookie: `${REFRESH_COOKIE}=${token}` },
      })
  },
  async 'GET /api/account/v1/sessions'(endpoint) {
    const { body } = await call(service.url, 'GET', endpoint.path, { token: bob.token })
    const sessions = await service.db('sessions').where({ subscription_id: bob.subscriptionId })
    const own = sessions.map(({ id }) => id)
    expect(body.items.filter(({ id }: { id: string }) => !own.includes(id))).toEqual([])
  },
  async 'DELETE /api/account/v1/sessions/:id'(endpoint) {
    for (const { id } of await service.db('sessions').where({ subscription_id: ann.subscriptionId }))
      await call(service.url, 'DELETE', endpoint.path.replace(':id', id), { token: bob.token })
  },
  async 'DELETE /api/account/v1/sessions'(endpoint) {
    const token = await logIn(service.url, { userEmail: bob.userEmail })
    expect((await call(service.url, 'DELETE', endpoint.path, { token })).status).toBe(204)
  },
  async 'POST /api/account/v1/password'(endpoint) {
    const body = {
      currentPassword: PASSWORD,
      newPassword: `${PASSWORD} of Bob`,
      userEmail: ann.subject.userEmail,
    }
    expect((await call(service.url, 'POST', endpoint.path, { token: bob.token, body })).status).toBe(204)
  },
  async 'POST /api/account/v1/invitation'(endpoint) {
    const of = {
      subscriptionId: ann.subscriptionId,
      id: ann.subject.userId,
      userEmail: ann.subject.userEmail,
    }
    for (const token of [bob.subject.invitation, bob.token, bob.subject.refreshToken])
      await call(service.url, 'POST', endpoint.path, { body: { token, password: PASSWORD, ...of } })
  },
  'POST /api/account/v1/login/passkey': nothingOfAnn,
  'POST /api/account/v1/login/factor': ofNoSignIn,
  'POST /api/account/v1/session/factor': ofNoSignIn,
  async 'GET /api/account/v1/factors'(endpoint) {
    const { body } = await call(service.url, 'GET', endpoint.path, { token: bob.token })
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([bob.subject.factorId])
  },
  'POST /api/account/v1/factors/totp': nothingOfAnn,
  'POST /api/account/v1/factors/passkey': nothingOfAnn,
  async 'POST /api/account/v1/factors'(endpoint) {
    const answer = await send(
      endpoint,
      { path: endpoint.path, body: ann.subject.factorRegistration },
      bob.token,
    )
    expect([answer.status, answer.body.title]).toEqual([401, 'challenge_invalid'])
  },
  'PATCH /api/account/v1/factors/:id': ofNoFactor,
  'DELETE /api/account/v1/factors/:id': ofNoFactor,
  'POST /api/account/v1/recovery-codes': nothingOfAnn,
  'POST /api/account/v1/step-up/passkey': nothingOfAnn,
  async 'POST /api/account/v1/step-up'(endpoint) {
    const { totp } = ann.subject
    const answer = await call(service.url, 'POST', endpoint.path, { token: bob.token, body: { totp } })
    expect([answer.status, answer.body.title]).toEqual([400, 'validation_failed'])
  },
  async 'GET /api/account/v1/sso/start'(endpoint) {
    const answer = await send(
      endpoint,
      REQUESTS[nameOfRoute(endpoint)]?.(ann.subject) ?? { path: '' },
      bob.token,
    )
    const { searchParams } = new URL(answer.headers.get('location') ?? '')
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: 'secret-of-ann',
      scope: 'openid email',
    })
    expect(decodeURIComponent(String(searchParams))).not.toContain(ann.name)
  },
  async 'GET /api/account/v1/sso/callback/:connection'(endpoint) {
    const answer = await send(
      endpoint,
      REQUESTS[nameOfRoute(endpoint)]?.(ann.subject) ?? { path: '' },
      bob.token,
    )
    expect(answer.headers.get('location')).toBe('/login?sso=expired')
  },
  'POST /api/account/v1/step-up/sso': nothingOfAnn,
  'POST /api/account/v1/sso/sign-out': nothingOfAnn,
  async 'POST /api/datasets/v1/upload'() {
    // the same number is another dataset: neither a retry nor taken
    const carol = await openParty('secret-of-carol')
    const { referenceNumber } = ann.subject
    const body = anUpload(aCapture({ device: { id: 'secret-of-ann' } }), {
      referenceNumber,
      subscriptionId: ann.subscriptionId,
      additionalInfo: { clientId: 'secret-of-ann' },
    })
    expect((await upload(service.url, carol.uploaderKey, body)).status).toBe(200)
    await allIsProcessed()
    const insight = await readInsight(service.url, carol.token, referenceNumber)
    const velocity = insight.body.fragments.find(({ code }: { code: string }) => code === 'velocity')
    expect(velocity.value.associatedDatasetsCount).toBe('1') // Ann's use of the device is not counted
  },
  'POST /api/datasets/v1/additionalinfo': asUnknown,
  'GET /api/datasets/v1': searchOwnOnly,
  'POST /api/datasets/v1/search': searchOwnOnly,
  'GET /api/exports/v1/datasets': searchOwnOnly,
  'POST /api/exports/v1/datasets': searchOwnOnly,
  'POST /c/open': ownCollection,
  'POST /c': ofNoCollection,
  'POST /c/complete': ofNoCollection,
  'POST /c/withdraw': ofNoCollection,
  async 'POST /api/collections/v1/tokens'(endpoint) {
    const request = REQUESTS[nameOfRoute(endpoint)]?.(bob.subject) ?? { path: '' }
    const { body } = await send(endpoint, request, bob.uploaderKey)
    const claims = JSON.parse(Buffer.from(body.token.split('.')[1], 'base64url').toString())
    expect(claims.subscription).toBe(bob.subscriptionId)
  },
  async 'POST /api/collections/v1/claims'(endpoint) {
    const request = REQUESTS[nameOfRoute(endpoint)]
    if (!request) throw new Error('There is no request to this route')
    const unknown = essence(
      await send(endpoint, request({ ...bob.subject, collection: `c_${'A'.repeat(22)}` }), bob.uploaderKey),
    )
    expect([unknown.status, unknown.body.title]).toEqual([404, 'collection_not_found'])
    expect(essence(await send(endpoint, request(ann.subject), bob.uploaderKey))).toEqual(unknown)
  },
  'GET /api/datasets/v1/:referenceNumber': asUnknown,
  'DELETE /api/datasets/v1/:referenceNumber': asUnknown,
  'GET /api/datasets/v1/:referenceNumber/status': asUnknown,
  'GET /api/datasets/v1/:referenceNumber/timeline': asUnknown,
  'POST /api/datasets/v1/:referenceNumber/reprocess': asUnknown,
  'GET /v6.0/datasets/:referenceNumber/datasetinsight': asUnknown,
  'GET /api/insights/v1/:referenceNumber': asUnknown,
  async 'POST /api/insights/v1/batch'(endpoint) {
    const numbers = [ann.subject.referenceNumber, 'unknown', bob.subject.referenceNumber]
    const { body } = await send(
      endpoint,
      { path: endpoint.path, body: { referenceNumbers: numbers, subscriptionId: ann.subscriptionId } },
      bob.backendKey,
    )
    const [ofAnn, unknown, own] = body.results
    expect(own).toMatchObject({ status: 200, insight: { referenceNumber: numbers[2] } })
    expect(unknown).toMatchObject({ status: 404, problem: { title: 'dataset_not_found' } })
    expect({ ...ofAnn, referenceNumber: 'unknown' }).toEqual(unknown)
  },
  'GET /api/insights/v1/:referenceNumber/explanation': asUnknown,
  async 'GET /api/scores/v1/distribution'(endpoint) {
    const { code, version } = ann.subject.scorecard
    for (const query of [`code=${code}`, `code=${code}&version=${version}`]) {
      const answer = await call(service.url, 'GET', `${endpoint.path}?${query}`, { token: bob.token })
      expect([answer.status, answer.body.title]).toEqual([404, 'not_found'])
    }
  },
  'GET /api/keys/v1': ownOnly,
  async 'POST /api/keys/v1'(endpoint) {
    const body = { label: 'of Bob', role: 'requester', subscriptionId: ann.subscriptionId }
    const made = await call(service.url, 'POST', endpoint.path, { token: bob.token, body })
    const { referenceNumber } = ann.subject
    expect((await readByCode(service.url, made.body.key, referenceNumber)).status).toBe(404)
  },
  async 'DELETE /api/keys/v1/:id'() {
    const revoke = (id: number) => call(service.url, 'DELETE', `/api/keys/v1/${id}`, { token: bob.token })
    const unknown = essence(await revoke(999_999))
    expect([unknown.status, unknown.body.title]).toEqual([404, 'not_found'])
    expect(essence(await revoke(ann.subject.keyId))).toEqual(unknown)
  },
  'GET /api/limits/v1': ownOnly,
  async 'GET /api/events/v1'(endpoint) {
    const { key } = await createApiKey(service.db, {
      subscriptionId: bob.subscriptionId,
      scopes: ['events:read'],
    })
    const read = (query = '') => call(service.url, 'GET', `${endpoint.path}${query}`, { token: key })
    const { events } = (await read()).body
    expect(JSON.stringify(events)).toContain(bob.subject.referenceNumber)
    expect(JSON.stringify(events)).not.toContain(ann.subject.referenceNumber)
    const cursor = formatCursor(ann.subscriptionId, { position: 1, id: 1 })
    expect(await read(`?cursor=${cursor}`)).toMatchObject({
      ...{ status: 400, body: { errors: { cursor: [expect.stringContaining('of a response to your')] } } },
    })
  },
  'GET /api/webhooks/v1': ownOnly,
  async 'POST /api/webhooks/v1'(endpoint) {
    const body = { label: 'of Bob', url: 'https://bob.example', subscriptionId: ann.subscriptionId }
    expect((await call(service.url, 'POST', endpoint.path, { token: bob.token, body })).status).toBe(200)
  },
  'GET /api/webhooks/v1/:id': ofNoWebhook,
  'PATCH /api/webhooks/v1/:id': ofNoWebhook,
  'DELETE /api/webhooks/v1/:id': ofNoWebhook,
  'POST /api/webhooks/v1/:id/secrets': ofNoWebhook,
  'POST /api/webhooks/v1/:id/test': ofNoWebhook,
  'POST /api/webhooks/v1/:id/replay': ofNoWebhook,
  'GET /api/webhooks/v1/:id/deliveries': ofNoWebhook,
  'GET /api/site-keys/v1': ownOnly,
  async 'POST /api/site-keys/v1'(endpoint) {
    const body = { label: 'of Bob', origins: ['https://bob.example'], subscriptionId: ann.subscriptionId }
    const { status } = await call(service.url, 'POST', endpoint.path, { token: bob.token, body })
    expect(status).toBe(200)
  },
  'PATCH /api/site-keys/v1/:id': ofNoSiteKey,
  'POST /api/site-keys/v1/:id/rotate': ofNoSiteKey,
  'DELETE /api/site-keys/v1/:id': ofNoSiteKey,
  'GET /api/users/v1': ownOnly,
  async 'POST /api/users/v1'(endpoint) {
    const invite = (userEmail: string) =>
      call(service.url, 'POST', endpoint.path, {
        token: bob.token,
        body: { userEmail, role: 'admin', subscriptionId: ann.subscriptionId },
      })
    expect((await invite(bob.userEmail)).body.title).toBe('conflict')
    for (const userEmail of [ann.userEmail, 'somebody-new@lender.example'])
      expect((await invite(userEmail)).status).toBe(200)
  },
  'PATCH /api/users/v1/:id': ofNoUser,
  'POST /api/users/v1/:id/invitation': ofNoUser,
  'DELETE /api/users/v1/:id/factors': ofNoUser,
  'GET /api/sso/v1': ownOnly,
  async 'PUT /api/sso/v1'(endpoint) {
    const answer = await send(
      endpoint,
      REQUESTS[nameOfRoute(endpoint)]?.(bob.subject) ?? { path: '' },
      bob.token,
    )
    expect(answer.body.connection).toMatchObject({ clientId: 'secret-of-bob' })
  },
  async 'DELETE /api/sso/v1'(endpoint) {
    expect((await send(endpoint, { path: endpoint.path }, bob.token)).status).toBe(204)
  },
  'GET /api/policy/v1': nothingOfAnn,
  'PATCH /api/policy/v1': nothingOfAnn,
  'DELETE /api/users/v1/:id': ofNoUser,
  async 'POST /api/privacy/v1/persons'(endpoint) {
    for (const body of [{ clientId: 'secret-of-ann' }, { deviceId: 'secret-of-ann' }]) {
      const answer = await call(service.url, 'POST', endpoint.path, { token: bob.token, body })
      expect(answer.body).toMatchObject({ datasets: 0, reads: 0, velocity: null, requests: [] })
    }
  },
  async 'POST /api/privacy/v1/exports'(endpoint) {
    const exportOf = (clientId: string) =>
      call(service.url, 'POST', endpoint.path, { token: bob.token, body: { clientId } })
    expect((await exportOf('secret-of-ann')).headers.get('inkling-datasets')).toBe('0')
    expect((await exportOf('secret-of-bob')).headers.get('inkling-datasets')).toBe('1')
  },
  async 'POST /api/privacy/v1/erasures'(endpoint) {
    for (const body of [{ clientId: 'secret-of-ann' }, { deviceId: 'secret-of-ann' }])
      expect((await call(service.url, 'POST', endpoint.path, { token: bob.token, body })).status).toBe(200)
    await erasePersons(
      { db: service.db, vault: PLAIN_VAULT, log: pino({ level: 'silent' }) },
      new AbortController().signal,
    )
  },
  async 'GET /api/privacy/v1/requests'(endpoint) {
    const { body } = await call(service.url, 'GET', endpoint.path, { token: bob.token })
    const ids = body.items.map(({ id }: { id: string }) => id)
    expect(ids).toContain(bob.subject.privacyRequestId)
    expect(ids).not.toContain(ann.subject.privacyRequestId)
  },
  async 'GET /api/privacy/v1/requests/:id'(endpoint) {
    const request = REQUESTS[nameOfRoute(endpoint)]
    if (!request) throw new Error('There is no request to this route')
    const show = async (privacyRequestId: string) =>
      essence(await send(endpoint, request({ ...bob.subject, privacyRequestId }), bob.token))
    const unknown = await show(crypto.randomUUID())
    expect([unknown.status, unknown.body.title]).toEqual([404, 'not_found'])
    expect(await show(ann.subject.privacyRequestId)).toEqual(unknown)
  },
  'GET /api/privacy/v1/retention': nothingOfAnn,
  'PATCH /api/privacy/v1/retention': nothingOfAnn,
  'GET /api/audit/v1': ownOnly,
  'GET /api/scorecards/v1': nothingOfAnn,
  'GET /api/scorecards/v1/:version': asUnknownCode(404, 'not_found'),
  'GET /api/scorecards/v1/:version/summary': asUnknownCode(404, 'not_found'),
  'POST /api/scorecards/v1/:code/versions': nothingOfAnn,
  'GET /api/scorecards/v1/:code/stability': nothingOfAnn,
  'GET /api/scorecards/v1/:code/trials': nothingOfAnn,
  'GET /api/scorecards/v1/:code/trials/:id': asUnknownCode(404, 'not_found'),
  'POST /api/scorecards/v1/:code/trials': asUnknownCode(404, 'not_found'),
  'POST /api/scorecards/v1/:code/stage': asUnknownCode(404, 'not_found'),
  'POST /api/scorecards/v1/:code/rollback': asUnknownCode(409, 'conflict'),
  'GET /api/fragments/v1': nothingOfAnn,
  'GET /api/fragments/v1/:code': asUnknownCode(404, 'not_found'),
  async 'PUT /api/fragments/v1/:code'(endpoint) {
    await nothingOfAnn(endpoint)
    await service
      .db('fragments')
      .where({ subscription_id: bob.subscriptionId, code: 'secret-of-ann' })
      .delete()
  },
  'DELETE /api/fragments/v1/:code': asUnknownCode(404, 'not_found'),
  async 'GET /api/pipeline/v1'(endpoint) {
    const counted = { subscription_id: ann.subscriptionId, minute: new Date(Date.now() - 60_000) }
    const counts = { uploads: 7, ready: 6, invalid: { 'secret-of-ann': 1 }, latencies: { 20: 7 } }
    await service.db('pipeline_counts').insert({ ...counted, ...counts })
    const answer = async (token: string) => (await call(service.url, 'GET', endpoint.path, { token })).body
    expect((await answer(ann.token)).total).toMatchObject({ uploads: 7, ready: 6, invalid: 1 })
    const bobs = await answer(bob.token)
    expect(bobs.total).toMatchObject({ uploads: 0, ready: 0, invalid: 0, latencyP95Ms: null })
    expect(JSON.stringify(bobs)).not.toContain('secret-of-ann')
    await service.db('pipeline_counts').where(counted).delete()
  },
  async 'POST /api/pipeline/v1/retry'(endpoint) {
    const own = service.db('datasets').where({ subscription_id: ann.subscriptionId })
    await own.clone().update({ ring_at: new Date(0), rings: 3 })
    const { body } = await call(service.url, 'POST', endpoint.path, { token: bob.token })
    expect(body).toEqual({ datasets: 0, heard: true })
    await own.clone().update({ ring_at: null, rings: 0 })
  },
  async 'POST /api/pipeline/v1/reprocess'(endpoint) {
    const own = service.db('datasets').where({ subscription_id: ann.subscriptionId })
    await own.clone().update({ status: 'invalid', invalid_code: 'not_gzip' })
    const { body } = await call(service.url, 'POST', endpoint.path, {
      token: bob.token,
      body: { status: 'invalid', subscriptionId: ann.subscriptionId },
    })
    expect(body).toEqual({ requeued: 0, withoutData: 0, next: null })
    await own.clone().update({ status: 'ready', invalid_code: null })
  },
  async 'POST /api/test/v1/captures'(endpoint) {
    const body = { platform: 'android', referenceNumber: 'made-by-bob', subscriptionId: ann.subscriptionId }
    const made = await call(service.url, 'POST', endpoint.path, { token: bob.token, body })
    expect(made.body).toEqual({ referenceNumbers: ['made-by-bob'] })
    await allIsProcessed()
    const statusOf = async (token: string, mode: string) =>
      (
        await call(service.url, 'GET', '/v6.0/datasets/made-by-bob/datasetinsight', {
          token,
          headers: { 'Inkling-Mode': mode },
        })
      ).status
    expect(await statusOf(bob.token, 'test')).toBe(200)
    expect(await statusOf(bob.token, 'live')).toBe(404)
    const owners = await service
      .db('datasets')
      .where({ reference_number: 'made-by-bob' })
      .pluck('subscription_id')
    expect(owners).toEqual([await findTestSubscription(service.db, bob.subscriptionId)])
  },
  'GET /features': sameForAll,
  'GET /schemas/capture-1.json': sameForAll,
  'GET /schemas/capture-1/examples/android.json': sameForAll,
  'GET /schemas/capture-1/examples/ios.json': sameForAll,
  'GET /schemas/capture-1/examples/web.json': sameForAll,
  'GET /healthz': sameForAll,
  'GET /readyz': sameForAll,
  'GET /openapi.json': sameForAll,
}

test('there is an isolation attempt for each route', () => {
  expect(Object.keys(TRIES).toSorted()).toEqual(declared.map(nameOfRoute).toSorted())
})

describe.each(declared.map((endpoint) => ({ name: nameOfRoute(endpoint), endpoint })))('$name', (route) => {
  test('shows and changes nothing of another subscription', async () => {
    const before = await listRows(service.db, ann.subscriptionId)
    expect(before.datasets).toHaveLength(1)
    expect(before.insights).toHaveLength(1)
    await TRIES[route.name]?.(route.endpoint)
    const after = await listRows(service.db, ann.subscriptionId)

    expect(after).toEqual(before)
  })
})
