import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importJWK, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeSigningKey } from '../../api/account/signing-keys.ts'
import { createApiKey, KEY_PREFIX, revokeApiKey } from '../../db/accounts/api-keys.ts'
import { KEY_SCOPES, type KeyRole, type KeyScope } from '../../db/accounts/key-scopes.ts'
import { startSession } from '../../db/accounts/sessions.ts'
import { suspendSubscription } from '../../db/accounts/subscriptions.ts'
import { openTestSubscription } from '../../db/accounts/test-subscriptions.ts'
import type { PrivateJwk } from '../../db/accounts/token-keys.ts'
import { beginExport } from '../../db/privacy/privacy-requests.ts'
import { anActor } from '../support/actors.ts'
import { anUpload } from '../support/captures.ts'
import { type Answer, call, declared, upload } from '../support/client.ts'
import { openFactors } from '../support/factor-subject.ts'
import { listRowVersions } from '../support/list-rows.ts'
import { openClaimable } from '../support/pages.ts'
import { aPersonCall, nameOfRoute, REQUESTS, type Subject } from '../support/route-requests.ts'
import {
  addUser,
  inviteSomebody,
  PASSWORD,
  type Service,
  startService,
  type Tenant,
} from '../support/service.ts'
import { addSiteKey } from '../support/site-keys.ts'
import { type LyingProvider, openLyingProvider } from '../support/sso/lying-provider.ts'
import { openSsoSubject } from '../support/sso/sso-subject.ts'
import { stageScorecard } from '../support/staged-scorecard.ts'
import { PROJECT } from '../support/start-process.ts'
import { addWebhook } from '../support/webhooks.ts'

const [credentialsPart = '', scopesPart = ''] = readFileSync(
  join(PROJECT, 'docs/authorisation.md'),
  'utf8',
).split('\n## Scopes')

/** The cells of a table, by route and heading. */
function readTable(text: string): Map<string, Map<string, string>> {
  const lines = text.split('\n').filter((line) => line.startsWith('|'))
  const [header = [], , ...rows] = lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  return new Map(
    rows.map(([route = '', ...cells]) => [
      route.replaceAll('`', ''),
      new Map(cells.map((cell, at) => [header[at + 1] ?? '', cell])),
    ]),
  )
}

const table = readTable(credentialsPart)
const routes = declared.map((endpoint) => ({ name: nameOfRoute(endpoint), endpoint }))

/** Credentials of routes that a key may call: with the scope of the route alone, and with all others. */
const WITH_SCOPE = 'key with the scope'
const WITHOUT_SCOPE = 'key with all other scopes'

let service: Service
let provider: LyingProvider
let tenant: Tenant
let adminId: number
let analystId: number
/** Whether keys are test keys, as for routes that exist in test mode only. */
let isTest = false
let credentials: Record<string, (scope: KeyScope) => Promise<string | undefined>>

beforeAll(async () => {
  service = await startService()
  provider = await openLyingProvider()
  tenant = await service.openTenant()
  const suspended = await service.openTenant()
  await suspendSubscription(service.db, suspended.subscriptionId, true)
  const admin = (of: Tenant) =>
    addUser(service.db, of.subscriptionId, `${crypto.randomUUID()}@lender.example`, 'admin')
  adminId = await admin(tenant)
  ;[analystId] = await service.db('users').where({ email: tenant.userEmail }).pluck('id')
  const disabledId = await admin(tenant)
  await service.db('users').where({ id: disabledId }).update({ disabled_at: new Date() })
  const suspendedId = await admin(suspended)

  const ownerOfKeys = async ({ subscriptionId }: Tenant) =>
    isTest ? openTestSubscription(service.db, { subscriptionId, actor: anActor('a test') }) : subscriptionId
  const key = async (scopes: readonly KeyScope[], of = tenant, expiresInDays?: number) =>
    createApiKey(service.db, { subscriptionId: await ownerOfKeys(of), scopes, expiresInDays, isTest })
  const keyOf = async (role: KeyRole) =>
    (await createApiKey(service.db, { subscriptionId: await ownerOfKeys(tenant), role, isTest })).key
  const session = async (userId: number, of = tenant) => {
    const { subscriptionId } = of
    const { sessionId, refreshToken } = await startSession(service.db, { subscriptionId, userId })
    const { token } = await service.tokens.issue({ subscriptionId, userId, sessionId })
    return { sessionId, refreshToken, token }
  }
  const resign = async (token: string, jwk: PrivateJwk, seconds: number) => {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    return new SignJWT({ ...claims, iat: claims.iat + seconds, exp: claims.exp + seconds })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: jwk.kid })
      .sign(await importJWK(jwk as JWK, 'EdDSA'))
  }
  credentials = {
    none: async () => undefined,
    malformed: async () => 'junk',
    'uploader key': () => keyOf('uploader'),
    'requester key': () => keyOf('requester'),
    'unknown key': async () => KEY_PREFIX + 'A'.repeat(43),
    [WITH_SCOPE]: async (scope) => (await key([scope])).key,
    [WITHOUT_SCOPE]: async (scope) => (await key(KEY_SCOPES.filter((other) => other !== scope))).key,
    'expired key': async (scope) => {
      const made = await key([scope], tenant, 1)
      await service.db('api_keys').where({ id: made.id }).update({ expires_at: new Date() })
      return made.key
    },
    'revoked key': async (scope) => {
      const made = await key([scope])
      await revokeApiKey(service.db, tenant.subscriptionId, made.id)
      return made.key
    },
    'suspended key': async (scope) => (await key([scope], suspended)).key,
    analyst: async () => (await session(analystId)).token,
    admin: async () => (await session(adminId)).token,
    'expired token': async () => resign((await session(adminId)).token, service.signingKeys[0], -61 * 60),
    'foreign token': async () => resign((await session(adminId)).token, await makeSigningKey(), 0),
    'disabled user': async () => (await session(disabledId)).token,
    'signed out': async () => {
      const ended = await session(adminId)
      await call(service.url, 'POST', '/api/account/v1/logout', {
        body: { refresh_token: ended.refreshToken },
      })
      return ended.token
    },
    'suspended user': async () => (await session(suspendedId, suspended)).token,
    'refresh token': async () => (await session(adminId)).refreshToken,
  }
})
afterAll(async () => {
  await provider[Symbol.asyncDispose]()
  await service.stop()
})

/** A dataset of the tenant that is ready, by its reference number. */
async function openDataset(): Promise<string> {
  const body = anUpload()
  expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
  await untilProcessed()
  return body.referenceNumber
}

async function untilProcessed(): Promise<void> {
  const waiting = service.db('datasets').whereNotNull('ring_at')
  await vi.waitFor(async () => expect(await waiting.clone().pluck('id')).toEqual([]), { timeout: 10_000 })
}

/** What requests are about, in parts that are opened together. @param ownerId the user of its factors. */
function partsOf(
  ownerId: number,
): { members: readonly (keyof Subject)[]; open(): Promise<Partial<Subject>> }[] {
  const { subscriptionId } = tenant
  const { db } = service
  const user = { subscriptionId, userId: adminId }
  return [
    {
      members: ['refreshToken'],
      open: async () => ({ refreshToken: (await startSession(db, user)).refreshToken }),
    },
    {
      members: ['refreshCookie'],
      open: async () => {
        const { refreshToken } = await startSession(db, { ...user, refreshSeconds: 2_400 })
        return { refreshCookie: refreshToken }
      },
    },
    {
      members: ['keyId'],
      open: async () => ({ keyId: (await createApiKey(db, { subscriptionId, role: 'uploader' })).id }),
    },
    {
      members: ['siteKeyId'],
      open: async () => {
        await db('site_keys').where({ subscription_id: subscriptionId }).update({ revoked_at: new Date() })
        return { siteKeyId: (await addSiteKey(db, { subscriptionId })).id }
      },
    },
    { members: ['webhookId'], open: async () => ({ webhookId: await addWebhook(db, subscriptionId) }) },
    {
      members: ['scorecard'],
      open: async () => ({
        scorecard: await stageScorecard(db, subscriptionId, `card-${crypto.randomUUID()}`),
      }),
    },
    {
      members: ['userId', 'invitation'],
      open: async () => {
        const invited = await inviteSomebody(db, subscriptionId)
        return { userId: invited.id, invitation: invited.token }
      },
    },
    {
      members: ['privacyRequestId'],
      open: async () => ({ privacyRequestId: (await beginExport(db, aPersonCall(subscriptionId))).id }),
    },
    {
      members: ['factorId', 'factorRegistration', 'totp', 'factorAnswer'],
      open: () => openFactors(service, { subscriptionId, userId: ownerId }),
    },
    {
      members: ['ssoId', 'ssoChange'],
      open: () => openSsoSubject(db, provider, { subscriptionId, name: 'inkling' }),
    },
    { members: ['siteKey', 'collection'], open: () => openClaimable(db, subscriptionId) },
  ]
}

/** What the caller must have, although the request does not name it. */
const PREREQUISITES: Readonly<Record<string, keyof Subject>> = {
  'POST /api/account/v1/recovery-codes': 'factorId',
}

/** Lists the members of its subject that a route needs: those that its request is made of, and its prerequisite. */
function membersOf(route: string): ReadonlySet<string> {
  const used = new Set<string>([PREREQUISITES[route] ?? ''])
  const anything: object = new Proxy(() => '', {
    get: (_, member) => (member === Symbol.toPrimitive ? () => '' : anything),
    apply: () => anything,
  })
  const subject = new Proxy({} as Subject, {
    get(_, member) {
      used.add(String(member))
      return anything
    },
  })
  REQUESTS[route]?.(subject)
  return used
}

/** What the request of a route is about: all of it new, but for the dataset. */
async function openSubject(route: string, referenceNumber: string, ownerId: number): Promise<Subject> {
  const used = membersOf(route)
  const subject: Partial<Subject> = { referenceNumber, userEmail: tenant.userEmail, password: PASSWORD }
  for (const { members, open } of partsOf(ownerId))
    if (members.some((member) => used.has(member))) Object.assign(subject, await open())
  return subject as Subject
}

/** The user whose factors a request is about. */
const ownerOf = (route: string, credential: string) =>
  credential === 'analyst' && /factors|recovery-codes|step-up/.test(route) ? analystId : adminId

/** What a cell says of an answer. */
function verdictOf({ status, body }: Answer, success: number): string {
  if (status === success) return 'yes'
  const verdict = `${status} ${body.title}`
  const verdicts: Record<string, string> = {
    '401 unauthenticated': '401',
    '403 forbidden': '403',
    '403 subscription_suspended': 'susp.',
  }
  return verdicts[verdict] ?? verdict
}

test('the table has a row for each route, with a cell for each kind of credential', () => {
  expect([...table.keys()].toSorted()).toEqual(routes.map(({ name }) => name).toSorted())
  for (const [route, cells] of table)
    expect([...cells.keys(), WITH_SCOPE, WITHOUT_SCOPE].toSorted(), route).toEqual(
      Object.keys(credentials).toSorted(),
    )
  expect(Object.keys(REQUESTS).toSorted()).toEqual([...table.keys()].toSorted())
})

test('the second table has the scope of each route that a key may call', () => {
  const scopes = [...readTable(scopesPart)].map(([route, cells]) => [route, cells.get('scope')])
  expect(Object.fromEntries(scopes)).toEqual(
    Object.fromEntries(
      routes.flatMap(({ name, endpoint: { credential } }) =>
        'scope' in credential ? [[name, `\`${credential.scope}\``]] : [],
      ),
    ),
  )
})

describe.each(routes)('$name', ({ name, endpoint }) => {
  const isForKeys = 'scope' in endpoint.credential
  const scope = 'scope' in endpoint.credential ? endpoint.credential.scope : 'datasets:write'

  test('accepts the credentials in the table, and a rejected request changes nothing', {
    timeout: 60_000,
  }, async () => {
    isTest = endpoint.tag === 'Test mode'
    const cells = [...(table.get(name) ?? [])]
    if (isForKeys) cells.push([WITH_SCOPE, 'yes'], [WITHOUT_SCOPE, '403'])
    const send = async (subject: Subject, token: string | undefined) => {
      const { path, body, headers } = REQUESTS[name]?.(subject) ?? { path: '' }
      const options = {
        ...(body && { body }),
        ...(token !== undefined && { token }),
        ...(headers && { headers }),
      }
      const answer = await call(service.url, endpoint.method.toUpperCase(), path, options)
      return verdictOf(answer, endpoint.response.status)
    }

    const dataset = membersOf(name).has('referenceNumber') ? await openDataset() : ''
    const subject = await openSubject(name, dataset, adminId)
    const rejections = cells.filter(([, cell]) => cell !== 'yes')
    const tokens = new Map<string, string | undefined>()
    for (const [credential] of rejections) tokens.set(credential, await credentials[credential]?.(scope))
    await untilProcessed() // what an earlier route caused
    const before = await listRowVersions(service.db)
    for (const [credential, cell] of rejections)
      expect([credential, await send(subject, tokens.get(credential))]).toEqual([credential, cell])
    expect(await listRowVersions(service.db)).toEqual(before)

    for (const [credential, cell] of cells.filter(([, cell]) => cell === 'yes'))
      expect([
        credential,
        await send(
          await openSubject(
            name,
            endpoint.method === 'delete' && dataset ? await openDataset() : dataset,
            ownerOf(name, credential),
          ),
          await credentials[credential]?.(scope),
        ),
      ]).toEqual([credential, cell])
  })
})
