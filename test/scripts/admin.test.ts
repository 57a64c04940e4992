import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listFragments } from '../../db/fragments.ts'
import { listVersions } from '../../db/scorecards.ts'
import { aCapture, anUpload } from '../captures.ts'
import { attemptLogin, call, logIn, readByCode, upload } from '../client.ts'
import { type House, openHouse } from '../open-house.ts'
import { openTenant, PASSWORD, type Tenant } from '../service.ts'
import { killProcesses, PROJECT, paasEnv, type WebProcess } from '../start-process.ts'
import { openEmptyDatabase, openTestDatabase } from '../stores.ts'

interface Options {
  readonly stdin?: string
  readonly env?: Record<string, string>
}

let house: House
let web: WebProcess
let tenant: Tenant
let compileCache: string

beforeAll(async () => {
  compileCache = await mkdtemp(join(tmpdir(), 'inkling-compiled-'))
  house = await openHouse()
  ;[web] = await Promise.all([house.startWeb(), house.startWorker(), run(['--help'])])
})
afterAll(async () => {
  await killProcesses()
  await house[Symbol.asyncDispose]()
  await rm(compileCache, { recursive: true, force: true })
})

const withoutDatabase = () => ({ PATH: house.env.PATH ?? '' })

async function run(args: readonly string[], { stdin = '', env = house.env }: Options = {}) {
  const child = spawn(join(PROJECT, 'scripts/admin'), args, {
    cwd: PROJECT,
    env: { ...env, NODE_COMPILE_CACHE: compileCache }, // it starts a hundred times here
  })
  child.stdin.on('error', () => undefined) // it may end without reading
  child.stdin.end(stdin)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code, stdout, stderr }
}

/** The one object that a command prints. */
// tests look into it freely
// biome-ignore lint/suspicious/noExplicitAny: see above
async function admin(args: readonly string[], options?: Options): Promise<any> {
  const { code, stdout, stderr } = await run(args, options)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^\{.*\}\n$/)
  return JSON.parse(stdout)
}

/** A command that fails, and all or part of what it says. */
type Refused = [args: readonly string[], says: string | RegExp, options?: Options]

/** Each of these commands fails, and says so on stderr only; at once, since each takes its time to start. */
async function expectRefused(...commands: Refused[]): Promise<void> {
  await Promise.all(
    commands.map(async ([args, says, options]) => {
      const { code, stdout, stderr } = await run(args, options)
      expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: '' })
      expect(stderr).toMatch(says)
      expect(stderr).not.toMatch(/^\s+at /m)
    }),
  )
}

/** What was recorded of a subscription, oldest first. */
async function listAudit(subscriptionId: number) {
  return house
    .db('audit_events')
    .where({ subscription_id: subscriptionId })
    .orderBy('id')
    .select('actor', 'action', 'subject', 'detail')
}

/** Resolves when the answer has this status, at the latest after the 5 s that are promised. */
async function expectWithin5s(status: number, ask: () => Promise<{ status: number }>): Promise<void> {
  let last: number | undefined
  for (const deadline = performance.now() + 5_000; performance.now() < deadline; await delay(100)) {
    last = (await ask()).status
    if (last === status) return
  }
  expect(last).toBe(status)
}

const ping = (key: string) => call(web.url, 'GET', '/api/insights/v1/none', { token: key })

const COMMANDS = [
  'subscription create',
  'subscription suspend',
  'subscription resume',
  'subscription retention',
  'user create',
  'key create',
  'key list',
  'key revoke',
  'scorecard list',
  'scorecard show',
  'scorecard draft',
  'scorecard deploy',
  'scorecard challenge',
  'scorecard promote',
  'scorecard rollback',
  'scorecard retire',
  'scorecard dry-run',
  'scorecard monitor',
  'fragment deploy',
  'dataset show',
  'dataset list',
  'dataset reprocess',
  'dataset rescore',
  'dataset delete',
  'token-key create',
  'token-key rotate',
]

describe('every command', () => {
  test('explains itself with --help, without a database', { timeout: 60_000 }, async () => {
    const groups = new Set(COMMANDS.map((command) => command.split(' ')[0] ?? ''))
    await Promise.all(
      ['', ...groups, ...COMMANDS].map(async (command) => {
        const words = command.split(' ').filter(Boolean)
        const { code, stdout, stderr } = await run([...words, '--help'], { env: withoutDatabase() })
        expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' })
        expect(stdout).toContain(`Usage: ${['scripts/admin', ...words].join(' ')}`)
      }),
    )
  })

  test('fails in words when it is not known, or called wrongly', async () => {
    await expectRefused(
      [[], 'Usage: scripts/admin'],
      [['key'], 'Usage: scripts/admin key'],
      [['nope'], "error: unknown command 'nope'"],
      [['key', 'list', '--nope', 'x'], "error: unknown option '--nope'"],
      [['key', 'list'], "error: missing required argument 'subscription'"],
      [['key', 'list', 'a', 'b'], 'error: too many arguments'],
    )
  })

  test('fails in one sentence without a usable database', async () => {
    const list = ['key', 'list', 'Lender']
    const empty = await openEmptyDatabase()
    const away = paasEnv({ databaseUrl: 'postgres://me:hunter2@127.0.0.1:1/none' })
    await expectRefused(
      [list, /^The environment is not usable:\n {2}DATABASE_URL: is required\n$/, { env: withoutDatabase() }],
      [list, /^connect ECONNREFUSED 127.0.0.1:1\n$/, { env: away }],
      [
        list,
        /^The database is not migrated: run the release process, node db\/migrate.ts\n$/,
        { env: paasEnv({ databaseUrl: empty.url }) },
      ],
    )
    await empty.drop()
  })
})

describe('subscription', () => {
  test('create makes one with the standard fragments and the demonstration scorecards, and records it', async () => {
    const created = await admin(['subscription', 'create', 'Acme Lending'])
    expect(created).toEqual({ id: expect.any(Number), name: 'Acme Lending', suspended: false })
    const fragments = await listFragments(house.db, [created.id])
    expect(fragments.map(({ code, kind }) => [code, kind])).toEqual([
      ['permission', 'permission'],
      ['device_info', 'device_info'],
      ['velocity', 'velocity'],
    ])
    const scorecards = await listVersions(house.db, created.id)
    expect(scorecards.map(({ code }) => code).toSorted()).toEqual(['demo_mobile', 'demo_web'])
    const audit = await listAudit(created.id)
    expect(audit.map(({ action, subject }) => [action, subject])).toEqual([
      ['scorecard.deploy', 'demo_mobile'],
      ['scorecard.deploy', 'demo_web'],
      ['subscription.create', null],
    ])
    expect(audit[0].actor).toMatch(/^operator/)

    await expectRefused([
      ['subscription', 'create', 'Acme Lending'],
      'There is a subscription "Acme Lending" already',
    ])
  })

  test('create refuses names that would be a nuisance', async () => {
    const names = ['', ' padded', '123', 'two\nlines', 'x'.repeat(101)]
    await expectRefused(
      ...names.map(
        (name): Refused => [['subscription', 'create', name], `The name ${JSON.stringify(name)} must`],
      ),
    )
  })

  test('suspend and resume take effect on a running web within 5 s', { timeout: 30_000 }, async () => {
    tenant = await openTenant(house.db)
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
    expect(actions.slice(-3)).toEqual(['subscription.suspend', 'subscription.suspend', 'subscription.resume'])
    await expectRefused([['subscription', 'suspend', 'nobody'], 'There is no subscription "nobody"'])
  })
})

describe('subscription retention', () => {
  test('is for ever at first, is changed by parts, recorded, and enforced by a worker', async () => {
    tenant = await openTenant(house.db)
    const retention = (...args: string[]) => admin(['subscription', 'retention', tenant.name, ...args])
    const one = { id: tenant.subscriptionId, name: tenant.name }
    expect(await retention()).toEqual({ ...one, days: null, blobDays: null })
    expect(await retention('--days', '365', '--blob-days', '30')).toEqual({ ...one, days: 365, blobDays: 30 })
    expect(await retention('--blob-days', 'none')).toEqual({ ...one, days: 365, blobDays: null })
    expect((await listAudit(tenant.subscriptionId)).slice(-2)).toMatchObject([
      { action: 'subscription.retention', detail: { days: 365, blobDays: 30 } },
      { action: 'subscription.retention', detail: { days: 365, blobDays: null } },
    ])
    await expectRefused(
      ...['0', '1.5', 'never', '-1'].map(
        (days): Refused => [
          ['subscription', 'retention', tenant.name, `--days=${days}`],
          'It must be a whole number of days from 1 to 99999, or none',
        ],
      ),
      [['subscription', 'retention', 'nobody', '--days', '1'], 'There is no subscription "nobody"'],
    )

    const body = anUpload()
    await upload(web.url, tenant.uploaderKey, body)
    await house.untilProcessed(10_000)
    const { referenceNumber } = body
    const own = () => house.db('datasets').where({ reference_number: referenceNumber })
    await own().update({ uploaded_at: house.db.raw("now() - interval '400 days'") })
    const worker = await house.startWorker() // keeps house as it starts, then every minute
    await expect.poll(async () => (await own().first()).status, { timeout: 10_000 }).toBe('deleted')
    expect(await worker.end('SIGTERM')).toMatchObject({ code: 0 })
    expect((await readByCode(web.url, tenant.requesterKey, referenceNumber)).status).toBe(410)
  })
})

describe('user', () => {
  const create = (subscription: string, email: string, role = 'analyst') =>
    ['user', 'create', subscription, email, '--role', role, '--password-stdin'] as const

  test('create makes someone who can log in', async () => {
    tenant = await openTenant(house.db)
    const created = await admin(create(tenant.name, 'Ann@Acme.Example', 'admin'), { stdin: `${PASSWORD}\n` })
    expect(created).toEqual({
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

    const other = await openTenant(house.db)
    await expectRefused([
      create(other.name, 'ann@ACME.example'),
      'There is a user ann@acme.example already',
      { stdin: PASSWORD },
    ])
  })

  test('create refuses what is wrong, and makes nobody', async () => {
    tenant = await openTenant(house.db)
    const { name } = tenant
    const bob = 'bob@acme.example'
    const stdin = PASSWORD
    await expectRefused(
      [create(name, bob), 'The password must have at least 10 characters', { stdin: 'short pwd\n' }],
      [create(name, 'bob'), '"bob" is no e-mail address', { stdin }],
      [create(name, bob, 'boss'), 'Allowed choices are admin, analyst', { stdin }],
      [create(name, bob).slice(0, -1), '--password-stdin', { stdin }],
      [create('nobody', bob), 'There is no subscription "nobody"', { stdin }],
    )
    expect(await house.db('users').where({ email: bob })).toEqual([])
  })
})

describe('key', () => {
  const create = (...more: string[]) => ['key', 'create', tenant.name, '--role', 'requester', ...more]

  beforeAll(async () => {
    tenant = await openTenant(house.db)
  })

  test('create shows a key this once; revoke ends it within 5 s', { timeout: 30_000 }, async () => {
    const created = await admin(create('--label', 'portal', '--expires-in-days', '30'))
    expect(created).toEqual({ id: expect.any(Number), key: expect.stringMatching(/^ink_[\w-]{43}$/) })
    expect((await ping(created.key)).status).toBe(404)

    const { keys } = await admin(['key', 'list', tenant.name])
    const listed = keys.find(({ id }: { id: number }) => id === created.id)
    expect(listed).toEqual({
      id: created.id,
      prefix: created.key.slice(0, 10),
      role: 'requester',
      label: 'portal',
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      revokedAt: null,
      lastUsedAt: expect.any(String),
    })
    expect(Date.parse(listed.expiresAt) - Date.parse(listed.createdAt)).toBeCloseTo(30 * 86_400_000, -7)
    expect(JSON.stringify(keys)).not.toContain(created.key.slice(0, 11))
    const { rows } = await house.db.raw('select api_keys::text as row from api_keys')
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

  test('a key is refused once its days are over', async () => {
    const { id, key } = await admin(create('--expires-in-days', '1'))
    await house.db('api_keys').where({ id }).update({ expires_at: house.db.fn.now() })
    expect((await ping(key)).status).toBe(401)
  })

  test('create and revoke refuse what is wrong', async () => {
    await expectRefused(
      ...['0', '1.5', '36501'].map(
        (days): Refused => [create('--expires-in-days', days), 'It must be a whole number from 1'],
      ),
      [create('--label', ' '), 'It must be 1 to 100 characters'],
      [['key', 'create', tenant.name, '--role', 'admin'], 'Allowed choices are uploader, requester'],
      [['key', 'create', 'nobody', '--role', 'uploader'], 'There is no subscription "nobody"'],
      [['key', 'list', 'nobody'], 'There is no subscription "nobody"'],
      ...['999999', 'x'].map((id): Refused => [['key', 'revoke', id], `There is no key ${id}`]),
    )
  })
})

describe('scorecard and fragment', () => {
  let directory: string
  let demo: { inputs: { name: string }[]; reasons: object }

  beforeAll(async () => {
    tenant = await openTenant(house.db)
    directory = await mkdtemp(join(tmpdir(), 'inkling-scorecards-'))
    demo = JSON.parse(await readFile(join(PROJECT, 'scripts/scorecards/demo-mobile.json'), 'utf8'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  const file = async (name: string, content: unknown) => {
    const path = join(directory, name)
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }

  test('what is deployed is in the next insight, and recorded', async () => {
    const path = await file('mine.json', { ...demo, name: 'Mine' })
    const deploy = ['scorecard', 'deploy', tenant.name, 'mine', path]
    const deployed = await admin(deploy)
    expect(deployed).toEqual({
      code: 'mine',
      version: expect.stringMatching(/^[\da-f]{64}$/),
      replaced: null,
      name: 'Mine',
      platforms: ['android', 'ios'],
    })
    expect(await admin(deploy)).toEqual(deployed)
    const fragment = { code: 'windows.v1', kind: 'velocity_windows' }
    expect(await admin(['fragment', 'deploy', tenant.name, fragment.code, '--kind', fragment.kind])).toEqual(
      fragment,
    )

    const body = anUpload()
    await upload(web.url, tenant.uploaderKey, body)
    const { body: answer } = await readByCode(web.url, tenant.requesterKey, body.referenceNumber)
    expect(answer.insights.map(({ code }: { code: string }) => code).toSorted()).toEqual(
      ['demo_mobile', 'mine', 'permission', 'device_info', 'velocity', 'windows.v1'].toSorted(),
    )
    expect((await listAudit(tenant.subscriptionId)).slice(-3)).toMatchObject([
      { action: 'scorecard.deploy', subject: 'mine', detail: { version: deployed.version } },
      { action: 'scorecard.deploy', subject: 'mine', detail: { version: deployed.version } },
      { action: 'fragment.deploy', subject: 'windows.v1', detail: { kind: 'velocity_windows' } },
    ])
  })

  test('a faulty definition is refused with the place of each fault, and not deployed', async () => {
    const deploy = (path: string, code = 'faulty') => ['scorecard', 'deploy', tenant.name, code, path]
    const notJson = await file('not-json.json', '{ "name": ')
    const wrong = await file('wrong.json', { ...demo, platforms: 'android', reasons: { texts: {} } })
    const unknown = await file('unknown.json', {
      ...demo,
      inputs: demo.inputs.map((input) => ({ ...input, feature: 'shoe_size' })),
    })
    const good = await file('good.json', demo)
    await expectRefused(
      [deploy(notJson), /not-json\.json is not JSON: /],
      [deploy(wrong), /wrong\.json is not a scorecard:[\s\S]*→ at platforms/],
      [deploy(unknown), /there is no feature "shoe_size"\s+→ at inputs\[0\]\.feature/],
      [deploy(join(directory, 'none.json')), /ENOENT.*none\.json/],
      [deploy(good, 'a/b'), 'The code "a/b" must be'],
      [['scorecard', 'deploy', 'nobody', 'mine', good], 'There is no subscription'],
    )
    const scorecards = await listVersions(house.db, tenant.subscriptionId)
    expect(scorecards.map(({ code }) => code)).not.toContain('faulty')
  })

  test('fragment deploy refuses what is wrong', async () => {
    const deploy = (name: string, code: string, kind: string) =>
      ['fragment', 'deploy', name, code, '--kind', kind] as const
    await expectRefused(
      [deploy(tenant.name, 'x', 'velocities'), 'Allowed choices are permission'],
      [deploy(tenant.name, 'a b', 'velocity'), 'The code "a b" must be'],
      [deploy('nobody', 'x', 'velocity'), 'There is no subscription "nobody"'],
    )
  })
})

describe('dataset', () => {
  const SECRET = 'H4sIsecret'
  let good: string
  let faulty: string

  beforeAll(async () => {
    tenant = await openTenant(house.db)
    const body = anUpload(aCapture({ device: { id: 'd1' } }), { additionalInfo: { clientId: 'c1' } })
    good = body.referenceNumber
    faulty = '#1/ä'
    await upload(web.url, tenant.uploaderKey, body)
    await upload(web.url, tenant.uploaderKey, { referenceNumber: faulty, data: SECRET })
    await house.untilProcessed(10_000)
  })

  const settledAt = async (reference: string) =>
    (
      await house.db('datasets').where({ reference_number: reference }).first('settled_at')
    ).settled_at.getTime()

  test('show gives all that is known of one but its data', async () => {
    const shown = await admin(['dataset', 'show', tenant.name, good])
    expect(shown).toMatchObject({
      referenceNumber: good,
      status: 'ready',
      platform: 'android',
      waiting: false,
      invalid: null,
      additionalInfo: { clientId: 'c1' },
      velocity: { device: { datasets: 1 } },
    })
    expect(Object.keys(shown.insight)).toEqual(
      expect.arrayContaining(['scores', 'fragments', 'features', 'explanations']),
    )
    const quarantined = await admin(['dataset', 'show', tenant.name, faulty])
    expect(quarantined).toMatchObject({
      status: 'invalid',
      invalid: { code: expect.any(String) },
      insight: null,
    })
    expect(JSON.stringify([shown, quarantined])).not.toContain(SECRET)
    const other = await openTenant(house.db)
    await expectRefused(
      [['dataset', 'show', tenant.name, 'none'], 'There is no dataset "none" in this subscription'],
      [['dataset', 'show', other.name, good], 'There is no dataset'],
    )
  })

  test('show has the timeline', async () => {
    const eventsOf = async (reference: string) =>
      (await admin(['dataset', 'show', tenant.name, reference])).timeline.map(
        ({ event }: { event: string }) => event,
      )
    expect(await eventsOf(good)).toEqual(['received', 'rung', 'claimed', 'ready'])
    expect(await eventsOf(faulty)).toEqual(['received', 'rung', 'claimed', 'invalid'])
    const { timeline } = await admin(['dataset', 'show', tenant.name, faulty])
    expect(timeline.at(-1).detail).toEqual({ code: expect.any(String), detail: expect.any(String) })
  })

  test('list gives those of a status, of a reason, of a time, and counts the invalid ones by reason', async () => {
    const list = (...args: string[]) => admin(['dataset', 'list', tenant.name, '--status', ...args])
    const listed = async (...args: string[]) =>
      (await list(...args)).datasets.map(
        ({ referenceNumber }: { referenceNumber: string }) => referenceNumber,
      )
    expect(await listed('ready')).toEqual([good])
    expect(await listed('received')).toEqual([])
    const quarantine = await list('invalid')
    const { code } = quarantine.datasets[0].invalid
    expect(quarantine).toEqual({
      reasons: { [code]: 1 },
      datasets: [expect.objectContaining({ referenceNumber: faulty })],
    })
    expect(await listed('invalid', '--reason', code, '--since', '2026-01-01')).toEqual([faulty])
    expect(await list('invalid', '--reason', 'not_utf8')).toEqual({ reasons: {}, datasets: [] })
    expect(await list('invalid', '--until', '2026-01-01T00:00:00Z')).toEqual({ reasons: {}, datasets: [] })
    const soon = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '') // no zone means UTC, wherever the operator is
    const far = ['dataset', 'list', tenant.name, '--status', 'invalid', '--since', soon]
    const env = { ...house.env, TZ: 'Pacific/Kiritimati' }
    expect(await admin(far, { env })).toEqual({ reasons: {}, datasets: [] })
    await expectRefused(
      [['dataset', 'list', tenant.name], '--status'],
      [['dataset', 'list', tenant.name, '--status', 'lost'], 'Allowed choices'],
      [
        ['dataset', 'list', tenant.name, '--status', 'ready', '--reason', code],
        'Only invalid datasets have a reason',
      ],
      [['dataset', 'list', tenant.name, '--status', 'ready', '--since', 'yesterday'], 'It must be a date'],
    )
  })

  test('reprocess processes again what is meant, follows until it is done, and counts nothing twice', async () => {
    const reprocess = async (...args: string[]) => {
      const before = [await settledAt(good), await settledAt(faulty)]
      const { code, stdout, stderr } = await run(['dataset', 'reprocess', tenant.name, ...args])
      const again = [await settledAt(good), await settledAt(faulty)].map((at, n) => at > (before[n] ?? 0))
      expect(code).toBe(0)
      const answer = JSON.parse(stdout)
      expect(stderr).toMatch(
        answer.requeued === 0 ? /^$/ : /^processed \d of \d in [\d.]+ s \(\d+ a second\)\n$/,
      )
      return { ...answer, again }
    }
    const all = { withoutData: 0 }
    const { reasons } = await admin(['dataset', 'list', tenant.name, '--status', 'invalid'])
    const reason = Object.keys(reasons)[0] ?? ''
    expect(await reprocess(good)).toEqual({ ...all, requeued: 1, processed: 1, again: [true, false] })
    for (const only of [
      ['--status', 'invalid'],
      ['--reason', reason],
    ])
      expect(await reprocess(...only)).toEqual({ ...all, requeued: 1, processed: 1, again: [false, true] })
    expect(await reprocess('--since', '2026-01-01')).toEqual({
      ...all,
      requeued: 2,
      processed: 2,
      again: [true, true],
    })
    expect(await reprocess('--until', '2026-01-01')).toEqual({
      ...all,
      requeued: 0,
      processed: 0,
      again: [false, false],
    })
    expect(await reprocess('--all')).toEqual({ ...all, requeued: 2, processed: 2, again: [true, true] })
    const { velocity, timeline } = await admin(['dataset', 'show', tenant.name, good])
    expect(velocity.device.datasets).toBe(1)
    const { rows } = await house.db.raw('select datasets from devices where subscription_id = ?', [
      tenant.subscriptionId,
    ])
    expect(rows).toEqual([{ datasets: 1 }])
    expect(timeline.filter(({ event }: { event: string }) => event === 'reprocess_requested')).toEqual(
      Array(3).fill(expect.objectContaining({ actor: expect.stringMatching(/^operator/) })),
    )
    const audit = await listAudit(tenant.subscriptionId)
    expect(audit.slice(-6).map(({ action, detail }) => [action, detail])).toEqual([
      ['dataset.reprocess', { referenceNumbers: [good] }],
      ['dataset.reprocess', { status: 'invalid' }],
      ['dataset.reprocess', { status: 'invalid', reason }],
      ['dataset.reprocess', { since: '2026-01-01T00:00:00.000Z' }],
      ['dataset.reprocess', { until: '2026-01-01T00:00:00.000Z' }],
      ['dataset.reprocess', { all: true }],
    ])
  })

  test('reprocess refuses an unclear selection, and datasets that are not there', async () => {
    const reprocess = (...args: string[]) => ['dataset', 'reprocess', tenant.name, ...args] as const
    await expectRefused(
      [reprocess(), 'Say which: reference numbers, --all, or some of'],
      [reprocess(good, '--all'), 'Say which'],
      [reprocess('--all', '--status', 'ready'), 'Say which'],
      [reprocess(good, '--status', 'ready'), 'Say which'],
      [reprocess('--status', 'ready', '--reason', 'x'), 'Only invalid datasets have a reason'],
      [reprocess(good, 'none'), 'There is no dataset "none" in this subscription'],
      [reprocess('--status', 'lost'), 'Allowed choices'],
    )
    expect(await house.countWaiting()).toBe(0)
  })

  test('reprocess works with Redis away: the relay rings later', async () => {
    const env = { ...house.env, REDIS_URL: 'redis://127.0.0.1:1' }
    expect(await admin(['dataset', 'reprocess', tenant.name, '--all', '--no-wait'], { env })).toEqual({
      requeued: 2,
      withoutData: 0,
    })
    expect(await house.countWaiting()).toBe(2)
    await house.endPatience()
    await house.untilProcessed(10_000)
  })

  test('reprocess that is ended by Ctrl-C says how far it came; what was begun is done all the same', async () => {
    const env = { ...house.env, REDIS_URL: 'redis://127.0.0.1:1' } // so that nothing is done until we say so
    const child = spawn(join(PROJECT, 'scripts/admin'), ['dataset', 'reprocess', tenant.name, '--all'], {
      cwd: PROJECT,
      env: { ...env, NODE_COMPILE_CACHE: compileCache },
    })
    const [stdout, ended] = [text(child.stdout), once(child, 'close')]
    await expect.poll(house.countWaiting, { timeout: 10_000 }).toBe(2)
    child.kill('SIGINT')
    expect((await ended)[0]).toBe(130)
    expect(JSON.parse(await stdout)).toEqual({ requeued: 2, withoutData: 0, processed: 0, interrupted: true })
    await house.endPatience()
    await house.untilProcessed(10_000)
    const { velocity } = await admin(['dataset', 'show', tenant.name, good])
    expect(velocity.device.datasets).toBe(1)
  })

  test('reprocess says how many have no data any more; delete deletes for good', async () => {
    await house.db('datasets').where({ reference_number: good }).update({ blob: null })
    expect(await admin(['dataset', 'reprocess', tenant.name, good])).toEqual({
      requeued: 0,
      withoutData: 1,
      processed: 0,
    })
    expect(await admin(['dataset', 'delete', tenant.name, good])).toEqual({
      referenceNumber: good,
      deleted: true,
    })
    const shown = await admin(['dataset', 'show', tenant.name, good])
    expect(shown).toMatchObject({ status: 'deleted', insight: null, additionalInfo: {}, velocity: null })
    expect(shown.timeline.at(-1)).toMatchObject({
      event: 'deleted',
      actor: expect.stringMatching(/^operator/),
    })
    expect((await listAudit(tenant.subscriptionId)).at(-1)).toMatchObject({
      action: 'dataset.delete',
      subject: good,
    })
    await expectRefused(
      [['dataset', 'delete', tenant.name, good], 'was deleted before'],
      [['dataset', 'delete', tenant.name, 'none'], 'There is no dataset "none"'],
    )
  })
})

test('token-key create makes a value for TOKEN_SIGNING_KEYS, another each time, without a database', async () => {
  const create = () => admin(['token-key', 'create'], { env: withoutDatabase() })
  const made = await Promise.all([create(), create()])
  for (const { keys } of made) expect(keys).toMatchObject([{ kty: 'OKP', crv: 'Ed25519' }])
  expect(made[0].keys[0].kid).not.toBe(made[1].keys[0].kid)
})

test('token-key rotate refuses where it would rotate nothing', async () => {
  const database = await openTestDatabase()
  await expectRefused(
    [['token-key', 'rotate'], 'The database keeps no key', { env: paasEnv({ databaseUrl: database.url }) }],
    [
      ['token-key', 'rotate'],
      'TOKEN_SIGNING_KEYS: must be a JSON Web Key Set',
      { env: { ...house.env, TOKEN_SIGNING_KEYS: '{}' } },
    ],
  )
  await database.drop()
})
