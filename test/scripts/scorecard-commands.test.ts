import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { aCapture, anUpload } from '../support/captures.ts'
import { attemptLogin, logIn, readByCode, readInsight, upload } from '../support/client.ts'
import { readToEnd } from '../support/read-to-end.ts'
import { runAdminHere } from '../support/run-admin.ts'
import { aScorecardDefinition } from '../support/scorecards.ts'
import { openTenant, type Tenant } from '../support/service.ts'
import { killProcesses, PROJECT, type WebProcess } from '../support/start-process.ts'
import { startTestStack, type TestStack } from '../support/test-stack.ts'

let stack: TestStack
let web: WebProcess
let directory: string
let tenant: Tenant

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'inkling-scorecards-'))
  stack = await startTestStack()
  ;[web] = await Promise.all([stack.startWeb(), stack.startWorker()])
})
afterAll(async () => {
  await killProcesses()
  await stack[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})
beforeEach(async () => {
  tenant = await openTenant(stack.db)
})

const run = (...args: readonly string[]) => runAdminHere(args, { env: stack.env })

/** The JSON object that a command prints. */
// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members
async function admin(...args: readonly string[]): Promise<any> {
  const { code, stdout, stderr } = await run(...args)
  expect([code, stderr]).toEqual([0, expect.any(String)])
  return JSON.parse(stdout)
}

const scorecard = (verb: string, ...args: readonly string[]) => admin('scorecard', verb, tenant.name, ...args)

/** A scorecard file with 15 points from 100 contacts, otherwise -20. */
async function file(basePoints: number, members: Record<string, unknown> = {}): Promise<string> {
  const definition = aScorecardDefinition({ name: `Base ${basePoints}`, ...members })
  const path = join(directory, `${crypto.randomUUID()}.json`)
  await writeFile(
    path,
    JSON.stringify({ ...definition, model: { ...(definition.model as object), basePoints } }),
  )
  return path
}

async function uploadOf(contacts: number): Promise<string> {
  const body = anUpload(aCapture({ contacts: { count: contacts } }))
  expect((await upload(web.url, tenant.uploaderKey, body)).status).toBe(200)
  return body.referenceNumber
}

async function scoreOf(referenceNumber: string, code = 'card'): Promise<unknown> {
  const { body } = await readByCode(web.url, tenant.requesterKey, referenceNumber)
  return body.insights.find((insight: { code: string }) => insight.code === code)?.value.value
}

const stages = async () =>
  (await scorecard('list')).scorecards
    .filter(({ code }: { code: string }) => code === 'card')
    .map(({ name, stage }: { name: string; stage: string }) => [name, stage])

test('a version goes from draft to challenger to champion and back, each in one recorded step', async () => {
  const first = await scorecard('deploy', 'card', await file(600))
  const draft = await scorecard('draft', 'card', await file(700))
  expect(await stages()).toEqual([
    ['Base 600', 'champion'],
    ['Base 700', 'draft'],
  ])
  expect(await scorecard('challenge', 'card', draft.version.slice(0, 8))).toEqual({
    ...{ code: 'card', version: draft.version, replaced: null },
  })
  expect(await scoreOf(await uploadOf(5))).toBe(580)
  expect(await scorecard('promote', 'card')).toEqual({ ...draft, replaced: first.version })
  expect(await scoreOf(await uploadOf(5))).toBe(680)
  expect(await stages()).toEqual([
    ['Base 700', 'champion'],
    ['Base 600', 'retired'],
  ])
  expect(await scorecard('rollback', 'card')).toEqual({
    ...{ code: 'card', version: first.version, replaced: draft.version },
  })
  expect(await scoreOf(await uploadOf(500))).toBe(615)
  await scorecard('retire', 'card', first.version)
  expect(await scoreOf(await uploadOf(500))).toBeUndefined()

  const audit = await stack
    .db('audit_events')
    .where({ subscription_id: tenant.subscriptionId, subject: 'card' })
    .orderBy('id')
    .select('action', 'actor', 'detail')
  expect(audit.map(({ action }) => action)).toEqual(
    ['deploy', 'draft', 'challenge', 'promote', 'rollback', 'retire'].map((verb) => `scorecard.${verb}`),
  )
  expect(audit[3]).toMatchObject({
    actor: expect.stringContaining('operator'),
    detail: { version: draft.version, replaced: first.version },
  })
})

test('show prints the definition of the champion, or of a version, which can be deployed again unchanged', async () => {
  const { version } = await scorecard('deploy', 'card', await file(600))
  const shown = await scorecard('show', 'card')
  expect(shown).toMatchObject({ version, definition: { name: 'Base 600', format: 'scorecard/1' } })
  const again = join(directory, 'again.json')
  await writeFile(again, JSON.stringify(shown.definition))
  expect(await scorecard('deploy', 'card', again)).toMatchObject({ version, replaced: null })
  expect(await scorecard('show', 'card', version.slice(0, 6))).toEqual(shown)
})

test('an impossible change is rejected with one sentence and changes nothing', async () => {
  await scorecard('deploy', 'card', await file(600))
  const before = await stages()
  const place = [tenant.name, 'card'] as const
  const row = { inputs: { contacts: 5 }, score: 581 }
  const WRONG_USAGE = 2
  const rejections: [string[], RegExp, code?: number][] = [
    [['promote', ...place], /^There is no challenger under card: specify a version\n$/],
    [['rollback', ...place], /^The champion under card replaced no other version\n$/],
    [['retire', ...place, 'abcdef'], /^The code card has no version abcdef\n$/],
    [['retire', ...place, 'xyz'], /^A version is 6 to 64 hexadecimal digits/, WRONG_USAGE],
    [['challenge', ...place, join(directory, 'none.json')], /^No such file or directory: \S+none\.json/],
    [['show', tenant.name, 'other'], /^The code other has no champion\n$/],
    [['dry-run', ...place, await file(1), '--last', 'x'], /must be a whole number/, WRONG_USAGE],
    [
      ['deploy', ...place, await file(600, { verification: [row] })],
      /does not reproduce its own verification rows: verification row 1: score 580, expected 581/,
    ],
  ]
  await Promise.all(
    rejections.map(async ([args, says, expected = 1]) => {
      const { code, stdout, stderr } = await run('scorecard', ...args)
      expect([args[0], code, stdout]).toEqual([args[0], expected, ''])
      expect(stderr).toMatch(says)
    }),
  )
  expect(await stages()).toEqual(before)
})

describe('a dry run', () => {
  test('compares a candidate with the champion on stored captures, and changes nothing', async () => {
    await scorecard('deploy', 'card', await file(600))
    const references = await Promise.all([...[5, 5, 5, 500, 500].map(uploadOf), uploadOf(500)])
    const web1 = anUpload(aCapture({ platform: 'web' }))
    await upload(web.url, tenant.uploaderKey, web1)
    for (const reference of [...references, web1.referenceNumber])
      await readInsight(web.url, await logIn(web.url, tenant), reference)
    const velocity = () => stack.db('sightings').where({ subscription_id: tenant.subscriptionId }).count()
    const before = await velocity()

    const candidate = await file(500, {
      platforms: ['android', 'ios'],
      exclusions: [
        { when: { predicate: { input: 'contacts', op: '=', value: 500 } }, reason: 'too many contacts' },
      ],
      model: {
        kind: 'points',
        characteristics: [
          {
            ...{ name: 'contacts', input: 'contacts', reasonCode: 'FEW', baseline: 0 },
            attributes: [
              { else: true, points: -20 },
              { missing: true, points: 0 },
            ],
          },
        ],
      },
      reasons: { texts: { FEW: { en: 'Few contacts' } } },
    })
    const svg = join(directory, 'shift.svg')
    const result = await scorecard('dry-run', 'card', candidate, '--last', '100', '--svg', svg)
    expect(result).toMatchObject({
      ...{ code: 'card', name: 'Base 500', captures: 7, otherPlatforms: 1 },
      candidate: { scored: 3, mean: 480, min: 480, max: 480, deviation: 0 },
      champion: { scored: 6, min: 580, max: 615 },
      withoutScore: { count: 3, share: 0.5, why: [{ reason: 'too many contacts', count: 3 }] },
      shift: { mark: 'shifted' },
      reasons: [{ code: 'FEW', text: 'Few contacts', share: 1, shareFirst: 1 }],
    })
    // one cut, at 615: the champion has half on each side, the candidate all below: 0.5 ln 2 + 0.4999 ln 5000
    expect(result.shift.psi).toBeCloseTo(0.5 * Math.LN2 + 0.4999 * Math.log(5_000), 9)
    expect(await readFile(svg, 'utf8')).toMatch(/^<svg [\s\S]*PSI 4\.604[\s\S]*<\/svg>\n$/)
    expect(await velocity()).toEqual(before)
    expect(await stages()).toEqual([['Base 600', 'champion']])
    expect(await scorecard('dry-run', 'card', candidate, '--last', '2')).toMatchObject({ captures: 2 })
  })

  test('without captures and a champion reports zero captures and null', async () => {
    expect(await scorecard('dry-run', 'new', await file(500))).toMatchObject({
      ...{ captures: 0, candidate: null, champion: null, shift: null },
    })
  })
})

describe('rescoring', () => {
  test('replaces scores on request, and keeps previous ones as history', async () => {
    const first = await scorecard('deploy', 'card', await file(600))
    const [few, many] = [await uploadOf(5), await uploadOf(500)]
    const before = [await scoreOf(few), await scoreOf(many)]
    await scorecard('deploy', 'card', await file(700))
    expect([await scoreOf(few), await scoreOf(many)]).toEqual(before)

    const rescore = (...args: string[]) => admin('dataset', 'rescore', tenant.name, ...args)
    expect(await rescore(few)).toEqual({ rescored: 1, unchanged: 0 })
    expect([await scoreOf(few), await scoreOf(many)]).toEqual([680, 615])
    expect(await rescore('--all', '--code', 'other')).toEqual({ rescored: 0, unchanged: 2 })
    expect(await rescore('--all')).toEqual({ rescored: 1, unchanged: 1 })
    expect([await scoreOf(few), await scoreOf(many)]).toEqual([680, 715])

    const history = await stack
      .db('score_history')
      .where({ subscription_id: tenant.subscriptionId })
      .orderBy('id')
    expect(
      history.map(({ scores, explanations }) => [JSON.parse(scores), JSON.parse(explanations)]),
    ).toMatchObject([
      [
        [{ code: 'card', value: 580 }, { code: 'demo_mobile' }],
        [{ code: 'card', version: first.version }, {}],
      ],
      [
        [{ code: 'card', value: 615 }, { code: 'demo_mobile' }],
        [{ code: 'card', version: first.version }, {}],
      ],
    ])
    const { timeline } = await admin('dataset', 'show', tenant.name, few)
    expect(timeline).toContainEqual(
      expect.objectContaining({ event: 'recalculated', actor: expect.stringContaining('operator') }),
    )
    expect((await run('dataset', 'rescore', tenant.name)).stderr).toMatch(/^Select datasets: /)
    await admin('dataset', 'delete', tenant.name, few)
    expect(await stack.db('score_history').where({ subscription_id: tenant.subscriptionId })).toHaveLength(1)
  })
})

test('monitor shows the days counted by workers as a table, as JSON and as an image', async () => {
  const { version } = await scorecard('deploy', 'card', await file(600))
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const counted = (ago: number, characteristic: string, bin: string, datasets: number) => ({
    ...{ subscription_id: tenant.subscriptionId, code: 'card', version, characteristic, bin },
    ...{ day: day(ago), datasets },
  })
  await stack
    .db('score_counts')
    .insert([
      ...[counted(40, '', '580', 50), counted(40, '', '615', 50), counted(40, 'contacts', '< 100', 100)],
      ...[counted(1, '', '580', 500), counted(1, '', '615', 500), counted(1, '', '', 1000)],
      ...[counted(1, 'contacts', '< 100', 1000), counted(1, 'contacts', '>= 100', 1000)],
      counted(0, '', '580', 10),
    ])
  const svg = join(directory, 'stability.svg')
  const { code, stdout, stderr } = await run(
    'scorecard',
    'monitor',
    tenant.name,
    'card',
    '--days',
    '2',
    '--svg',
    svg,
  )
  expect(code).toBe(0)
  // half of the scores moved to an empty bin: 0.4999 ln 5000 + (0.5 - 1) ln 0.5
  const csi = 0.4999 * Math.log(5_000) + 0.5 * Math.LN2
  expect(JSON.parse(stdout).scorecards).toEqual([
    {
      ...{ code: 'card', version, name: 'Base 600', stage: 'champion', against: 'first days' },
      days: [
        {
          ...{ day: day(1), datasets: 2_000, withoutScore: 1_000, psi: 0, mark: 'stable' },
          characteristics: { contacts: { csi: expect.closeTo(csi, 9), mark: 'shifted' } },
        },
        {
          ...{ day: day(0), datasets: 10, withoutScore: 0, psi: expect.closeTo(csi, 9), mark: 'shifted' },
          characteristics: {},
        },
      ],
    },
  ])
  expect(stderr.split('\n')).toEqual([
    `card ${version.slice(0, 8)}, Base 600, champion; against its first 30 days`,
    '  day         datasets  no score  PSI             worst CSI',
    `  ${day(1)}     2,000    50.0 %  0.000  stable       4.604  shifted  contacts`,
    `  ${day(0)}        10     0.0 %  4.604  shifted  none`,
    '',
  ])
  const picture = await readFile(svg, 'utf8')
  expect(picture).toMatch(
    /^<svg [\s\S]*PSI 4\.604, shifted[\s\S]*CSI of contacts 4\.604, shifted[\s\S]*<\/svg>\n$/,
  )
  expect(await scorecard('monitor', 'other')).toEqual({ scorecards: [] })
})

test('every command of docs/scorecards.md works unchanged in its order', async () => {
  const guide = await readFile(join(PROJECT, 'docs/scorecards.md'), 'utf8')
  const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n')
  expect(commands).toContain('scorecard import')
  await scorecard('deploy', 'app_score', await file(600)) // the target of a rollback
  const workplace = await mkdtemp(join(directory, 'guide-'))
  for (const name of ['scripts', 'docs', 'node_modules', 'package.json'])
    await symlink(join(PROJECT, name), join(workplace, name))
  const child = spawn('bash', ['-euo', 'pipefail', '-c', commands.replaceAll('Acme Lending', tenant.name)], {
    cwd: workplace,
    env: {
      ...stack.env,
      ...{ REQUESTER_KEY: tenant.requesterKey, BASE_URL: web.url, REFERENCE_NUMBER: await uploadOf(5) },
    },
  })
  const { code, stdout, stderr } = await readToEnd(child)
  expect([code, stderr]).toEqual([0, expect.stringContaining('3 of 3 rows match')])
  expect(stdout).toMatch(/"deployable":true[\s\S]*"captures":1[\s\S]*"rescored":[\s\S]*"characteristics"/)
  expect(await readFile(join(workplace, 'shift.svg'), 'utf8')).toMatch(/^<svg /)
})

test('where the policy requires four eyes, an operator does not promote a version that they saved', async () => {
  const changed = await admin('subscription', 'policy', tenant.name, '--four-eyes', 'on')
  expect(changed).toMatchObject({ factorsRequired: 'nobody', fourEyes: true })
  const deployed = await run('scorecard', 'deploy', tenant.name, 'card', await file(10))
  expect([deployed.code, deployed.stderr]).toEqual([1, expect.stringContaining('four eyes')])
  const { version } = await scorecard('draft', 'card', await file(20))
  const promoted = await run('scorecard', 'promote', tenant.name, 'card', version)
  expect([promoted.code, promoted.stderr]).toEqual([1, expect.stringContaining('four eyes')])
  expect((await scorecard('list')).scorecards).toEqual(
    expect.arrayContaining([expect.objectContaining({ code: 'card', version, stage: 'draft' })]),
  )
})

test('an operator resets the second factors of a user', async () => {
  const { id } = await stack.db('users').where({ email: tenant.userEmail }).first()
  const owner = { subscription_id: tenant.subscriptionId, user_id: id }
  const app = { kind: 'totp', name: 'App', secret: Buffer.alloc(20), last_step: 0 }
  await stack.db('factors').insert({ ...owner, ...app, id: crypto.randomUUID() })
  expect((await attemptLogin(web.url, tenant.userEmail)).body.title).toBe('second_factor_required')
  const reset = await admin('user', 'reset-factors', tenant.name, tenant.userEmail)
  expect(reset).toMatchObject({ userEmail: tenant.userEmail, removedFactors: 1 })
  expect((await attemptLogin(web.url, tenant.userEmail)).status).toBe(200)
})
