import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPolicy } from '../../db/sign-in/policy.ts'
import { type Answer, attemptLogin, call, declared, logIn, readInsight } from '../support/client.ts'
import { openFactors } from '../support/factor-subject.ts'
import { nameOfRoute, REQUESTS, type Subject } from '../support/route-requests.ts'
import { aScorecardDefinition } from '../support/scorecards.ts'
import { addUser, PASSWORD, type Service, startService, type Tenant } from '../support/service.ts'

let service: Service

beforeAll(async () => {
  service = await startService({ worker: false, insightWaitMs: 0 })
})
afterAll(() => service.stop())

async function openAdmin({ subscriptionId }: Tenant) {
  const userEmail = `admin-${crypto.randomUUID()}@lender.example`
  const userId = await addUser(service.db, subscriptionId, userEmail, 'admin')
  return { subscriptionId, userId, userEmail, token: await logIn(service.url, { userEmail }) }
}

const change = (token: string, body: object) => call(service.url, 'PATCH', '/api/policy/v1', { token, body })

const outcome = ({ status, body }: Answer) => (status < 400 ? status : `${status} ${body.title}`)

/** Makes the sign-ins of a subscription older than a step-up may be. */
const letTimePass = ({ subscriptionId }: Tenant) =>
  service
    .db('sessions')
    .where({ subscription_id: subscriptionId })
    .update({ authenticated_at: new Date(Date.now() - 11 * 60_000) })

/** A request about things that there are not. */
const UNKNOWN: Subject = {
  ...{ referenceNumber: 'unknown', userEmail: 'nobody@lender.example', password: PASSWORD },
  ...{
    refreshToken: 'unknown',
    refreshCookie: 'unknown',
    keyId: 999_999,
    siteKeyId: 999_999,
    webhookId: 999_999,
    userId: 999_999,
  },
  ...{ scorecard: { code: 'unknown', version: '0'.repeat(64), trialId: 999_999 }, siteKey: 'unknown' },
  ...{ collection: 'unknown', invitation: 'unknown', factorId: crypto.randomUUID() },
  privacyRequestId: crypto.randomUUID(),
  ...{ factorRegistration: { challenge: 'junk', name: 'App', totp: '000000' }, factorAnswer: {} },
  totp: '000000',
  ...{ ssoId: crypto.randomUUID(), ssoChange: {} },
}

describe('step-up', () => {
  const routes = declared.filter(({ stepUp }) => stepUp !== undefined)

  test('is required of these routes', () => {
    expect(routes.map(nameOfRoute).toSorted()).toEqual([
      'DELETE /api/account/v1/factors/:id',
      'DELETE /api/account/v1/sessions',
      'DELETE /api/account/v1/sessions/:id',
      'DELETE /api/datasets/v1/:referenceNumber',
      'DELETE /api/keys/v1/:id',
      'DELETE /api/site-keys/v1/:id',
      'DELETE /api/sso/v1',
      'DELETE /api/users/v1/:id',
      'DELETE /api/users/v1/:id/factors',
      'DELETE /api/webhooks/v1/:id',
      'GET /api/exports/v1/datasets',
      'PATCH /api/policy/v1',
      'PATCH /api/privacy/v1/retention',
      'PATCH /api/site-keys/v1/:id',
      'PATCH /api/users/v1/:id',
      'PATCH /api/webhooks/v1/:id',
      'POST /api/account/v1/factors',
      'POST /api/account/v1/factors/passkey',
      'POST /api/account/v1/factors/totp',
      'POST /api/account/v1/recovery-codes',
      'POST /api/exports/v1/datasets',
      'POST /api/keys/v1',
      'POST /api/privacy/v1/erasures',
      'POST /api/privacy/v1/exports',
      'POST /api/scorecards/v1/:code/rollback',
      'POST /api/scorecards/v1/:code/stage',
      'POST /api/site-keys/v1',
      'POST /api/site-keys/v1/:id/rotate',
      'POST /api/users/v1',
      'POST /api/users/v1/:id/invitation',
      'POST /api/webhooks/v1',
      'POST /api/webhooks/v1/:id/secrets',
      'PUT /api/sso/v1',
    ])
  })

  test('each rejects a sign-in of more than 10 minutes ago, and accepts it once its user has proved who they are', async () => {
    const tenant = await service.openTenant()
    const { token } = await openAdmin(tenant)
    await letTimePass(tenant)
    const send = (name: string) => {
      const request = REQUESTS[name]?.(UNKNOWN)
      const [method = ''] = name.split(' ')
      return call(service.url, method, request?.path ?? '', {
        token,
        ...(request?.body && { body: request.body }),
      })
    }
    for (const name of routes.map(nameOfRoute)) {
      const answer = await send(name)
      expect([name, outcome(answer)]).toEqual([name, '401 step_up_required'])
      expect(answer.body).toMatchObject({ ways: ['password'], maxAgeSeconds: 600 })
      expect(answer.headers.get('www-authenticate')).toContain('insufficient_user_authentication')
    }
    const prove = (password: string) =>
      call(service.url, 'POST', '/api/account/v1/step-up', { token, body: { password } })
    expect((await prove('a wrong password')).body.errors).toEqual({ password: ['is not your password'] })
    expect(outcome(await send('POST /api/keys/v1'))).toBe('401 step_up_required')
    expect((await prove(PASSWORD)).status).toBe(204)
    const endsSession = 'DELETE /api/account/v1/sessions'
    const others = routes.map(nameOfRoute).filter((name) => name !== endsSession)
    for (const name of [...others, endsSession])
      expect([name, outcome(await send(name))]).not.toEqual([name, '401 step_up_required'])
  })

  test('a refreshed token is no newer proof, a new sign-in is', async () => {
    const tenant = await service.openTenant()
    const { userEmail } = await openAdmin(tenant)
    const { body: login } = await attemptLogin(service.url, userEmail)
    await letTimePass(tenant)
    const { body: refreshed } = await call(service.url, 'POST', '/api/account/v1/refresh', {
      body: { refresh_token: login.refresh_token },
    })
    const create = (token: string) =>
      call(service.url, 'POST', '/api/keys/v1', { token, body: { label: 'backend', role: 'uploader' } })
    expect(outcome(await create(refreshed.access_token))).toBe('401 step_up_required')
    expect(outcome(await create(await logIn(service.url, { userEmail })))).toBe(200)
  })
})

describe('factors required', () => {
  test('of admins: the session says so, their sign-in goes on to read, and changes are refused until they add one', async () => {
    const tenant = await service.openTenant()
    const { token, userEmail } = await openAdmin(tenant)
    expect(outcome(await change(token, { factorsRequired: 'admins' }))).toBe(200)
    const session = (of: string) => call(service.url, 'GET', '/api/account/v1/session', { token: of })
    expect((await session(token)).body.factorMissing).toBe(true)
    const analyst = await logIn(service.url, tenant)
    expect((await session(analyst)).body.factorMissing).toBe(false)
    expect(outcome(await attemptLogin(service.url, userEmail))).toBe(200)
    expect((await readInsight(service.url, token, 'unknown')).body.title).toBe('dataset_not_found')
    expect(outcome(await change(token, { factorsRequired: 'nobody' }))).toBe('403 factor_required')
    const { body } = await call(service.url, 'POST', '/api/account/v1/factors/totp', { token })
    expect(body.uri).toContain('otpauth://totp/Inkling')
    const [event] = await service.db('audit_events').where({
      subscription_id: tenant.subscriptionId,
      action: 'policy.change',
    })
    expect(event).toMatchObject({
      actor: userEmail,
      detail: { factorsRequired: 'admins', before: { factorsRequired: 'nobody' } },
    })
  })

  test('of everybody: the last factor cannot be removed', async () => {
    const tenant = await service.openTenant()
    const { token, ...owner } = await openAdmin(tenant)
    const { factorId } = await openFactors(service, owner)
    await change(token, { factorsRequired: 'everybody' })
    const removal = await call(service.url, 'DELETE', `/api/account/v1/factors/${factorId}`, { token })
    expect(outcome(removal)).toBe('409 conflict')
    expect(outcome(await change(token, { factorsRequired: 'nobody' }))).toBe(200)
    expect((await findPolicy(service.db, tenant.subscriptionId)).factorsRequired).toBe('nobody')
  })
})

test('four eyes: whoever saved a version cannot promote it, another admin can', async () => {
  const tenant = await service.openTenant()
  const [ann, bob] = [await openAdmin(tenant), await openAdmin(tenant)]
  const path = '/api/scorecards/v1/checked/versions'
  const save = (token: string) =>
    call(service.url, 'POST', path, { token, body: { definition: aScorecardDefinition({}), captures: 1 } })
  const { body: trial } = await save(ann.token)
  await save(bob.token) // the first author counts
  await service
    .db('scorecard_trials')
    .where({ subscription_id: tenant.subscriptionId })
    .update({
      state: 'done',
      ended_at: new Date(),
      result: { verification: { rows: 0, matched: 0, mismatches: [] } },
    })
  const promote = (token: string) =>
    call(service.url, 'POST', '/api/scorecards/v1/checked/stage', {
      token,
      body: { version: trial.version, action: 'promote' },
    })
  expect(outcome(await change(ann.token, { fourEyes: true }))).toBe(200)
  const refused = await promote(ann.token)
  expect([outcome(refused), refused.body.detail]).toEqual([
    '409 conflict',
    expect.stringContaining('four eyes'),
  ])
  expect(outcome(await promote(bob.token))).toBe(200)
})
