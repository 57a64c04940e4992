import { userInfo } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAuditedApiKey } from '../../db/accounts/api-keys.ts'
import type { Actor } from '../../db/audit/actor.ts'
import { listFragments } from '../../db/scorecards/fragments.ts'
import { listVersions } from '../../db/scorecards/scorecards.ts'
import { anUpload } from '../support/captures.ts'
import { attemptLogin, call, logIn, readByCode, upload } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { addUser, openTenant, PASSWORD, type Tenant } from '../support/service.ts'
import { type Refused, withAdmin } from '../support/with-admin.ts'
import { withoutTriggers } from '../support/without-triggers.ts'

const { stack, web, admin, run, runProcess, expectRefused, expectWrongUsage, listAudit } = withAdmin()

let tenant: Tenant

/** Resolves when the response has this status, which must take at most the promised 5 s. */
async function expectWithin5s(status: number, ask: () => Promise<{ status: number }>): Promise<void> {
  let last: number | undefined
  for (const deadline = performance.now() + 5_000; performance.now() < deadline; await delay(100)) {
    last = (await ask()).status
    if (last === status) return
  }
  expect(last).toBe(status)
}

const ping = (key: string) => call(web.url, 'GET', '/api/insights/v1/none', { token: key })

describe('subscription', () => {
  test('create adds the standard fragments and the demonstration scorecards, and records an audit event', async () => {
    const created = await admin(['subscription', 'create', 'Acme Lending'])
    expect(created).toEqual({ id: expect.any(Number), name: 'Acme Lending', suspended: false })
    const fragments = await listFragments(stack.db, [created.id])
    expect(fragments.map(({ code, kind }) => [code, kind])).toEqual([
      ['permission', 'permission'],
      ['device_info', 'device_info'],
      ['velocity', 'velocity'],
    ])
    const scorecards = await listVersions(stack.db, created.id)
    expect(scorecards.map(({ code }) => code).toSorted()).toEqual(['demo_mobile', 'demo_web'])
    const audit = await listAudit(created.id)
    expect(audit.map(({ action, subject }) => [action, subject])).toEqual([
      ['scorecard.deploy', 'demo_mobile'],
      ['scorecard.deploy', 'demo_web'],
      ['subscription.create', null],
    ])
    // by the account of the operating system, whatever the environment names
    expect(audit[0].actor).toBe(`operator ${userInfo().username}`)

    await expectRefused([
      ['subscription', 'create', 'Acme Lending'],
      'A subscription named "Acme Lending" already exists',
    ])
  })

  test('create rejects unusable names', async () => {
    const names = ['', ' padded', '123', 'two\nlines', 'x'.repeat(101)]
    await expectWrongUsage(
      ...names.map(
        (name): Refused => [['subscription', 'create', name], `The name ${JSON.stringify(name)} must`],
      ),
    )
  })

  test('list shows all subscriptions by name', async () => {
    const { subscriptionId: id, name } = await openTenant(stack.db)
    const { subscriptions } = await admin(['subscription', 'list'])
    const found = subscriptions.find((one: { id: number }) => one.id === id)
    expect(found).toEqual({ id, name, suspended: false, createdAt: expect.any(String) })
    const { rows } = await stack.db.raw('select id from subscriptions order by name')
    expect(subscriptions.map((one: { id: number }) => one.id)).toEqual(
      rows.map((row: { id: number }) => row.id),
    )
  })

  test('suspend and resume take effect on a running web within 5 s', { timeout: 30_000 }, async () => {
    tenant = await openTenant(stack.db)
    const token = await logIn(web.url, tenant)
    const ask = () => ping(tenant.requesterKey)
    expect((await ask()).status).toBe(404)

    const suspended = { id: tenant.subscriptionId, name: tenant.name, suspended: true }
    expect(await admin(['subscription', 'suspend', tenant.name])).toEqual(suspended)
    await expectWithin5s(403, ask)
    expect((await ask()).body.title).toBe('subscription_suspended')
    expect((await attemptLogin(web.url, tenant.userEmail)).body.title).toBe('subscription_suspended')
    await expectWithin5s(403, () => call(web.url, 'GET', '/v6.0/datasets/none/datasetinsight', { token }))
    expect(await admin(['subscription', 'suspend', String(tenant.subscriptionId)])).toEqual(suspended)

    expect(await admin(['subscription', 'resume', tenant.name])).toEqual({ ...suspended, suspended: false })
    await expectWithin5s(404, ask)
    const actions = (await listAudit(tenant.subscriptionId)).map(({ action }) => action)
    // the second one changed nothing
    expect(actions.slice(-2)).toEqual(['subscription.suspend', 'subscription.resume'])
    expect(actions.filter((action) => action === 'subscription.suspend')).toHaveLength(1)
    await expectRefused([['subscription', 'suspend', 'nobody'], 'No such subscription: "nobody"'])
  })
})

test('audit verify finds a changed event and says which', async () => {
  const { subscriptionId, name } = await openTenant(stack.db)
  const intact = await admin(['audit', 'verify', name])
  expect(intact).toMatchObject({ intact: true, subscriptions: [{ subscriptionId, events: 2, problems: [] }] })
  await withoutTriggers(stack.owner, (trx) =>
    trx('audit_events')
      .where({ subscription_id: subscriptionId, subject: 'demo_web' })
      .update({ actor: 'nobody' }),
  )
  const { code, stdout } = await run(['audit', 'verify'])
  expect(code).toBe(1)
  const { intact: still, subscriptions } = JSON.parse(stdout)
  expect(still).toBe(false)
  expect(
    subscriptions.find((one: { subscriptionId: number }) => one.subscriptionId === subscriptionId).problems,
  ).toEqual([{ problem: 'changed', seq: 2, id: expect.any(Number) }])
})

test('a test mode has test keys, fixed limits and a retention of 7 days, is listed as what it is, and is deleted with its subscription', async () => {
  const { name, subscriptionId } = await openTenant(stack.db)
  const made = await admin(['key', 'create', name, '--role', 'requester', '--test'])
  expect(made.key).toMatch(/^ink_test_/)
  expect((await ping(made.key)).status).toBe(404)
  const { keys } = await admin(['key', 'list', name])
  expect(keys.find(({ id }: { id: number }) => id === made.id)).toMatchObject({ mode: 'test' })
  const { subscriptions } = await admin(['subscription', 'list'])
  const test = subscriptions.find(({ testOf }: { testOf?: number }) => testOf === subscriptionId)
  expect(test).toMatchObject({ name: `${name} (test mode of ${subscriptionId})`, suspended: false })

  await expectRefused(
    [['limits', 'set', test.name, '--datasets-per-day', 'off'], 'The limits of a test mode are fixed'],
    [
      ['subscription', 'retention', test.name, '--days', '8'],
      'The retention of a test mode cannot be extended',
    ],
    [
      ['key', 'create', test.name, '--role', 'uploader'],
      'This is a test mode: name its subscription, and add --test',
    ],
  )
  expect(await admin(['key', 'revoke', String(made.id)])).toMatchObject({ id: made.id, subscriptionId })
  expect((await listAudit(subscriptionId)).map(({ action }) => action)).toEqual(
    expect.arrayContaining(['subscription.test_mode', 'key.create', 'key.revoke']),
  )

  // as if both had been suspended for long: nothing to wait for
  await admin(['subscription', 'suspend', name])
  const both = stack.db('subscriptions').whereIn('id', [subscriptionId, test.id])
  await both.clone().update({ suspended_at: stack.db.raw("now() - interval '1 minute'") })
  expect((await run(['subscription', 'delete', name, '--yes'])).code).toBe(0)
  expect(await both.clone().whereNull('deleted_at')).toEqual([])
  expect(await stack.db('api_keys').whereIn('subscription_id', [subscriptionId, test.id])).toEqual([])
})

describe('subscription retention', () => {
  test('is two years for captures by default, can be changed in part, is recorded, and is enforced by a worker', async () => {
    tenant = await openTenant(stack.db)
    const retention = (...args: string[]) => admin(['subscription', 'retention', tenant.name, ...args])
    const one = { id: tenant.subscriptionId, name: tenant.name }
    expect(await retention()).toEqual({ ...one, days: null, blobDays: 730 })
    expect(await retention('--days', '365', '--blob-days', '30')).toEqual({ ...one, days: 365, blobDays: 30 })
    for (const word of ['none', 'forever'])
      expect(await retention('--blob-days', word)).toEqual({ ...one, days: 365, blobDays: null })
    expect((await listAudit(tenant.subscriptionId)).slice(-3)).toMatchObject([
      { action: 'subscription.retention', detail: { days: 365, blobDays: 30 } },
      { action: 'subscription.retention', detail: { days: 365, blobDays: null } },
      { action: 'subscription.retention', detail: { days: 365, blobDays: null } },
    ])
    await expectWrongUsage(
      ...['0', '1.5', 'never', '-1'].map(
        (days): Refused => [
          ['subscription', 'retention', tenant.name, `--days=${days}`],
          'It must be a whole number of days from 1 to 99999, or none',
        ],
      ),
    )
    await expectRefused([
      ['subscription', 'retention', 'nobody', '--days', '1'],
      'No such subscription: "nobody"',
    ])

    const body = anUpload()
    await upload(web.url, tenant.uploaderKey, body)
    await stack.untilProcessed(10_000)
    const { referenceNumber } = body
    const own = () => stack.db('datasets').where({ reference_number: referenceNumber })
    await own().update({ uploaded_at: stack.db.raw("now() - interval '400 days'") })
    await stack.db('maintenance_turns').delete() // another worker may just have had its turn
    const worker = await stack.startWorker() // applies retention at startup, then every minute
    await expect.poll(async () => (await own().first()).status, { timeout: 10_000 }).toBe('deleted')
    expect(await worker.end('SIGTERM')).toMatchObject({ code: 0 })
    expect((await readByCode(web.url, tenant.requesterKey, referenceNumber)).status).toBe(410)
  })
})

describe('user', () => {
  const create = (subscription: string, email: string, role = 'analyst') =>
    ['user', 'create', subscription, email, '--role', role, '--password-stdin'] as const

  test('create creates a user who can sign in', async () => {
    tenant = await openTenant(stack.db)
    const stdin = `${PASSWORD}\n`
    const { code, stdout, stderr } = await runProcess(create(tenant.name, 'Ann@Acme.Example', 'admin'), {
      stdin,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      id: expect.any(Number),
      email: 'ann@acme.example',
      role: 'admin',
      subscriptionId: tenant.subscriptionId,
    })
    await logIn(web.url, { userEmail: 'ANN@acme.example' })
    expect((await listAudit(tenant.subscriptionId)).at(-1)).toMatchObject({
      action: 'user.create',
      subject: 'ann@acme.example',
      detail: { role: 'admin' },
    })

    await expectRefused([
      create(tenant.name, 'ann@ACME.example'),
      'A user with the e-mail address ann@acme.example already exists',
      { stdin: PASSWORD },
    ])
  })

  test('create rejects invalid arguments and creates no user', async () => {
    tenant = await openTenant(stack.db)
    const { name } = tenant
    const bob = 'bob@acme.example'
    const stdin = PASSWORD
    await expectRefused(
      [create(name, bob), 'The password must have at least 12 characters', { stdin: 'short pwd\n' }],
      [create('nobody', bob), 'No such subscription: "nobody"', { stdin }],
    )
    await expectWrongUsage(
      [create(name, 'bob'), '"bob" is not an e-mail address', { stdin }],
      [create(name, bob, 'boss'), 'Allowed choices are admin, analyst', { stdin }],
      [create(name, bob).slice(0, -1), '--password-stdin', { stdin }],
    )
    expect(await stack.db('users').where({ email: bob })).toEqual([])
  })
})

describe('a user of a subscription', () => {
  let token: string
  const user = (verb: string, email = tenant.userEmail) => ['user', verb, tenant.name, email]
  const listUsers = async () => (await admin(['user', 'list', tenant.name])).users
  const read = () => call(web.url, 'GET', '/v6.0/datasets/none/datasetinsight', { token })
  const lastRecord = async () => (await listAudit(tenant.subscriptionId)).at(-1)

  beforeEach(async () => {
    tenant = await openTenant(stack.db)
    token = await logIn(web.url, tenant)
  })

  test('is listed with the same data as in the portal', async () => {
    expect(await listUsers()).toEqual([
      {
        id: expect.any(Number),
        userEmail: tenant.userEmail,
        role: 'analyst',
        state: 'active',
        createdAt: expect.any(String),
        lastLoginAt: expect.any(String),
        linkExpiresAt: null,
      },
    ])
    await expectRefused([['user', 'list', 'nobody'], 'No such subscription: "nobody"'])
  })

  test('is signed out within 5 s when disabled, and can sign in when enabled', async () => {
    expect(await admin(user('disable'))).toMatchObject({ userEmail: tenant.userEmail, state: 'disabled' })
    expect(await lastRecord()).toMatchObject({ action: 'user.disable', subject: tenant.userEmail })
    await expectWithin5s(401, read)
    expect((await attemptLogin(web.url, tenant.userEmail)).status).toBe(401)
    await expectRefused([user('reset'), 'This user is disabled; enable them first'])

    expect(await admin(user('enable', tenant.userEmail.toUpperCase()))).toMatchObject({ state: 'active' })
    await logIn(web.url, tenant)
  })

  test('can set a password with the link of a reset, once', async () => {
    const reset = await admin(user('reset'))
    expect(reset).toEqual({
      id: expect.any(Number),
      userEmail: tenant.userEmail,
      link: expect.stringMatching(/^\/invitation#[\w-]{43}$/),
      expiresAt: expect.any(String),
    })
    expect(await lastRecord()).toMatchObject({ action: 'user.reset', subject: tenant.userEmail })
    await logIn(web.url, tenant)
    const body = { token: reset.link.split('#')[1], password: 'a password of my own' }
    const accept = () => call(web.url, 'POST', '/api/account/v1/invitation', { body })
    expect((await accept()).status).toBe(200)
    expect((await accept()).status).toBe(401)
    expect((await attemptLogin(web.url, tenant.userEmail)).status).toBe(401)
    expect((await attemptLogin(web.url, tenant.userEmail, body.password)).status).toBe(200)
  })

  test('is signed out within 5 s when deleted, which frees the e-mail address and keeps audit events', async () => {
    const { referenceNumber } = anUpload()
    await call(web.url, 'GET', `/v6.0/datasets/${referenceNumber}/datasetinsight`, { token })
    await admin(user('reset'))
    const [{ id }] = await listUsers()
    const { subscriptionId, userEmail } = tenant
    expect(await admin(user('delete'))).toEqual({ id, userEmail, deleted: true })
    await expectWithin5s(401, read)
    expect((await attemptLogin(web.url, userEmail)).status).toBe(401)
    expect(await listUsers()).toEqual([])
    for (const table of ['users', 'sessions', 'refresh_tokens', 'invitations'])
      expect(await stack.db(table).where({ subscription_id: subscriptionId }), table).toEqual([])
    expect(await lastRecord()).toMatchObject({
      actor: expect.stringMatching(/^operator/),
      action: 'user.delete',
      subject: userEmail,
      detail: { role: 'analyst' },
    })
    const requests = await stack.db('insight_requests').where({ subscription_id: subscriptionId })
    expect(requests.map(({ requestor }) => requestor)).toContain(userEmail)

    const other = await openTenant(stack.db)
    const create = ['user', 'create', other.name, userEmail, '--role', 'admin', '--password-stdin']
    await admin(create, { stdin: PASSWORD })
    await logIn(web.url, tenant)
    await expectRefused([user('delete'), `No such user in this subscription: "${userEmail}"`])
  })

  test('cannot be disabled as the last admin who can sign in, but can be deleted', async () => {
    const adminEmail = `admin-${crypto.randomUUID()}@lender.example`
    await addUser(stack.db, tenant.subscriptionId, adminEmail, 'admin')
    await expectRefused([
      user('disable', adminEmail),
      'This is the last admin who can sign in. Create another admin',
    ])
    expect(await admin(user('delete', adminEmail))).toMatchObject({ deleted: true })
  })

  test('who created keys is disabled or deleted with a decision on them', async () => {
    const { subscriptionId } = tenant
    const maker = `maker-${crypto.randomUUID()}@lender.example`
    const id = await addUser(stack.db, subscriptionId, maker, 'admin')
    await addUser(stack.db, subscriptionId, `other-${maker}`, 'admin')
    const actor: Actor = { kind: 'user', id, name: maker }
    const key = await createAuditedApiKey(stack.db, {
      subscriptionId,
      role: 'uploader',
      label: 'shop',
      actor,
    })
    await expectRefused(
      [user('disable', maker), `pass --keys keep or revoke: API key ${key?.id} (shop)`],
      [user('delete', maker), `pass --keys keep or revoke: API key ${key?.id} (shop)`],
    )
    expect(await admin([...user('delete', maker), '--keys', 'revoke'])).toMatchObject({ deleted: true })
    const { keys } = await admin(['key', 'list', tenant.name])
    expect(keys.at(-1)).toMatchObject({ createdBy: maker, revokedAt: expect.any(String) })
  })

  test('is not found under another subscription', async () => {
    const other = await openTenant(stack.db)
    await expectRefused(
      ...['disable', 'enable', 'reset', 'delete'].map(
        (verb): Refused => [
          user(verb, other.userEmail),
          `No such user in this subscription: "${other.userEmail}"`,
        ],
      ),
    )
    await logIn(web.url, other)
  })
})

describe('key', () => {
  const create = (...more: string[]) => ['key', 'create', tenant.name, '--role', 'requester', ...more]

  beforeAll(async () => {
    tenant = await openTenant(stack.db)
  })

  test('create shows a key only once; revoke disables it within 5 s', { timeout: 30_000 }, async () => {
    const created = await admin(create('--label', 'portal', '--expires-in-days', '30'))
    expect(created).toEqual({ id: expect.any(Number), key: expect.stringMatching(/^ink_[\w-]{43}$/) })
    expect((await ping(created.key)).status).toBe(404)

    const { keys, listed } = await eventually(async () => {
      const { keys } = await admin(['key', 'list', tenant.name])
      const listed = keys.find(({ id }: { id: number }) => id === created.id)
      expect(listed.lastUsedAt).not.toBeNull() // no request waits for it
      return { keys, listed }
    })
    expect(listed).toEqual({
      id: created.id,
      prefix: created.key.slice(0, 10),
      role: 'requester',
      label: 'portal',
      createdBy: expect.stringMatching(/^operator /),
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      revokedAt: null,
      lastUsedAt: expect.any(String),
      networks: null,
      mode: 'live',
      scopes: ['insights:read'],
    })
    expect(Date.parse(listed.expiresAt) - Date.parse(listed.createdAt)).toBeCloseTo(30 * 86_400_000, -7)
    expect(JSON.stringify(keys)).not.toContain(created.key.slice(0, 11))
    const { rows } = await stack.db.raw('select api_keys::text as row from api_keys')
    expect(JSON.stringify(rows)).not.toContain(created.key)

    const revoked = await admin(['key', 'revoke', String(created.id)])
    expect(revoked).toEqual({
      id: created.id,
      subscriptionId: tenant.subscriptionId,
      revokedAt: expect.any(String),
    })
    await expectWithin5s(401, () => ping(created.key))
    expect(await admin(['key', 'revoke', String(created.id)])).toEqual(revoked)
    const audit = await listAudit(tenant.subscriptionId)
    expect(audit.find(({ action }) => action === 'key.create')).toMatchObject({
      subject: String(created.id),
      detail: { role: 'requester', label: 'portal' },
    })
    expect(audit.at(-1)).toMatchObject({ action: 'key.revoke', subject: String(created.id) })
    expect(JSON.stringify(audit)).not.toContain('ink_')
  })

  test('a key is rejected after it expires', async () => {
    const { id, key } = await admin(create('--expires-in-days', '1'))
    await stack.db('api_keys').where({ id }).update({ expires_at: stack.db.fn.now() })
    expect((await ping(key)).status).toBe(401)
  })

  test('create and revoke reject invalid arguments', async () => {
    await expectWrongUsage(
      ...['0', '1.5', '36501'].map(
        (days): Refused => [create('--expires-in-days', days), 'It must be a whole number from 1'],
      ),
      [create('--label', ' '), 'It must be 1 to 100 characters'],
      [create('--label', 'ann@lender.example'), 'It must not look like an e-mail address'],
      [['key', 'create', tenant.name, '--role', 'admin'], 'Allowed choices are uploader, requester'],
    )
    await expectRefused(
      [['key', 'create', 'nobody', '--role', 'uploader'], 'No such subscription: "nobody"'],
      [['key', 'list', 'nobody'], 'No such subscription: "nobody"'],
      ...['999999', 'x'].map((id): Refused => [['key', 'revoke', id], `No such key: ${id}`]),
    )
  })
})

describe('site-key', () => {
  const create = (...more: string[]) => ['site-key', 'create', tenant.name, '--label', 'shop', ...more]
  const origin = (name: string) => ['--origin', name]

  beforeAll(async () => {
    tenant = await openTenant(stack.db)
  })

  test('create, rotate, revoke and list show whole keys and are recorded', { timeout: 30_000 }, async () => {
    const created = await admin(
      create(...origin('https://shop.example'), ...origin('http://localhost:3000'), '--module', 'graphics'),
    )
    expect(created).toMatchObject({
      ...{ key: expect.stringMatching(/^pk_[\w-]{32}$/), level: 'claimed', modules: ['graphics'] },
      ...{ origins: ['https://shop.example', 'http://localhost:3000'], maxCollectionsPerDay: 10_000 },
    })
    const successor = await admin(['site-key', 'rotate', created.key, '--overlap-hours', '0'])
    expect(successor).toMatchObject({ subscriptionId: tenant.subscriptionId, origins: created.origins })
    const revoked = await admin(['site-key', 'revoke', String(successor.id)])
    expect(revoked).toMatchObject({ key: successor.key, state: 'revoked' })
    const { keys } = await admin(['site-key', 'list', tenant.name])
    expect(keys.map(({ key, state }: Record<string, string>) => [key, state])).toEqual([
      [successor.key, 'revoked'],
      [created.key, 'expired'],
    ])
    const recorded = (await listAudit(tenant.subscriptionId)).filter(({ action }) => /^site_key/.test(action))
    expect(recorded).toMatchObject([
      { actor: expect.stringMatching(/^operator/), action: 'site_key.create', subject: String(created.id) },
      { action: 'site_key.rotate', detail: { label: 'shop', successor: successor.id, overlapHours: 0 } },
      { action: 'site_key.revoke', subject: String(successor.id) },
    ])
    await expectRefused([['site-key', 'rotate', created.key], 'The key was rotated before'])
  })

  test('create, rotate, revoke and list reject invalid arguments', { timeout: 30_000 }, async () => {
    const good = origin('https://shop.example')
    await expectWrongUsage(
      [create(), "required option '--origin <origin>' not specified"],
      [create(...origin('https://shop.example/')), 'It must be https://shop.example, as browsers send it'],
      [create(...origin('https://*.example')), 'It must not have a wildcard'],
      [create(...good, ...good), 'It must not repeat an origin'],
      [create(...good, '--level', 'secret'), 'Allowed choices are open, claimed, verified'],
      [create(...good, '--max-per-day', '0'), 'It must be at least 1'],
      [['site-key', 'rotate', 'pk_x', '--overlap-hours', 'x'], 'It must be a whole number of hours'],
    )
    await expectRefused(
      [['site-key', 'list', 'nobody'], 'No such subscription: "nobody"'],
      ...['999999', 'pk_x'].map((key): Refused => [['site-key', 'revoke', key], `No such site key: ${key}`]),
    )
  })
})

describe('webhook', () => {
  const webhook = (command: string, ...more: string[]) => ['webhook', command, tenant.name, ...more]

  test('create, list, disable, enable, rotate, test, replay, log and delete', {
    timeout: 60_000,
  }, async () => {
    const url = ['--url', 'https://backend.example/hooks']
    const created = await admin(webhook('create', ...url, '--label', 'backend', '--type', 'dataset.ready'))
    expect(created).toMatchObject({ types: ['dataset.ready'], secret: expect.stringMatching(/^whsec_/) })
    const id = String(created.id)
    expect((await admin(webhook('list'))).webhooks).toMatchObject([{ id: created.id, state: 'enabled' }])
    expect(await admin(webhook('disable', id))).toMatchObject({ disabledReason: 'requested' })
    const times = ['--since', '2026-11-20', '--until', '2026-11-21']
    await expectRefused(
      [webhook('test', id), 'The webhook is disabled'],
      [webhook('replay', id, ...times), 'The webhook is disabled'],
      [webhook('test', '999999'), 'The subscription has no webhook 999999'],
      [webhook('create', '--url', 'http://backend.example', '--label', 'x'), 'must begin with https://'],
    )
    await expectWrongUsage([webhook('log', 'x'), 'It must be an id'])
    expect(await admin(webhook('enable', id))).toMatchObject({ state: 'enabled' })
    expect((await admin(webhook('rotate', id, '--overlap-hours', '1'))).secrets).toHaveLength(2)
    expect(await admin(webhook('test', id))).toEqual({ eventId: expect.stringMatching(/^evt_/) })
    expect(await admin(webhook('replay', id, ...times))).toMatchObject({ id: created.id })
    expect(await admin(webhook('log', id))).toEqual({ attempts: [] })
    expect(await admin(webhook('delete', id))).toEqual({ id: created.id, deleted: true })
  })
})
