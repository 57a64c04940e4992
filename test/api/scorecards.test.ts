import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { saveStability } from '../../db/monitoring/score-stability.ts'
import { openShortestFirst } from '../../worker/batches/shortest-first.ts'
import { runNextTrial } from '../../worker/trials/run-next-trial.ts'
import { aCapture, anUpload } from '../support/captures.ts'
import { type Answer, call, logIn, readByCode, upload } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { aScorecardDefinition } from '../support/scorecards.ts'
import { addUser, type Service, startService, type Tenant } from '../support/service.ts'

let service: Service
let tenant: Tenant
let token: string
let email: string

beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
beforeEach(async () => {
  tenant = await service.openTenant()
  email = `admin-${crypto.randomUUID()}@lender.example`
  await addUser(service.db, tenant.subscriptionId, email, 'admin')
  token = await logIn(service.url, { userEmail: email })
})

const CARDS = '/api/scorecards/v1'
const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
  call(service.url, method, path, { token, ...(body !== undefined && { body }) })
const draft = (definition: unknown, captures = 100): Promise<Answer> =>
  send('POST', `${CARDS}/card/versions`, { definition, captures })
const stage = (version: string, action: string): Promise<Answer> =>
  send('POST', `${CARDS}/card/stage`, { version, action })

/** Does what a worker process does every second. */
const runTrials = async () => {
  const context = { db: service.db, log: pino({ level: 'silent' }), scheduler: openShortestFirst() }
  while (await runNextTrial(context, new AbortController().signal));
}

/** A definition whose scores are about so much, with these rows. */
const about = (basePoints: number, rows: object[] = [], members: object = {}) => {
  const { model, ...card } = aScorecardDefinition({ name: `About ${basePoints}` })
  return { ...card, model: { ...(model as object), basePoints }, verification: rows, ...members }
}

/** Drafts a definition and has it tried. @returns its version. */
async function tried(definition: object): Promise<string> {
  const { status, body } = await draft(definition)
  expect(status).toBe(200)
  await runTrials()
  return body.version
}

async function scoreOf(contacts: number): Promise<number | null | undefined> {
  const body = anUpload(aCapture({ contacts: { count: contacts } }))
  expect((await upload(service.url, tenant.uploaderKey, body)).status).toBe(200)
  const insights = await readByCode(service.url, tenant.requesterKey, body.referenceNumber, '?codes=card')
  return insights.body.insights[0]?.value.value
}

const stages = async () => {
  const { body } = await send('GET', CARDS)
  const card = body.items.find(({ code }: { code: string }) => code === 'card')
  return card?.versions.map(({ name, stage }: { name: string; stage: string }) => [name, stage]) ?? []
}

test('the list has the versions under each code, in pages', async () => {
  const { body } = await send('GET', CARDS)
  expect(body.items.map(({ code }: { code: string }) => code)).toEqual(['demo_mobile', 'demo_web'])
  expect(body.items[0].versions).toMatchObject([
    { stage: 'champion', kinds: ['points'], platforms: ['android', 'ios'], replaced: null, trial: null },
  ])
  expect(body.next).toBeNull()
  const first = await send('GET', `${CARDS}?limit=1`)
  expect([first.body.items.length, first.body.next]).toEqual([1, 'demo_mobile'])
  const second = await send('GET', `${CARDS}?limit=1&cursor=demo_mobile`)
  expect([second.body.items[0].code, second.body.next]).toEqual(['demo_web', null])
  const only = await send('GET', `${CARDS}?code=demo_web`)
  expect(only.body.items.map(({ code }: { code: string }) => code)).toEqual(['demo_web'])
  expect((await send('GET', `${CARDS}?limit=0`)).body.title).toBe('validation_failed')
})

test('a definition goes from draft through a trial to champion, scores, and is rolled back', async () => {
  expect(await scoreOf(5)).toBeUndefined()
  const drafted = await draft(about(600, [{ inputs: { contacts: 5 }, score: 580 }]))
  expect(drafted.body).toMatchObject({ code: 'card', state: 'waiting', askedBy: email, result: null })
  const { version, id } = drafted.body
  expect(await stages()).toEqual([['About 600', 'draft']])

  const early = await stage(version, 'promote')
  expect([early.status, early.body.title]).toEqual([409, 'conflict'])
  expect(early.body.detail).toMatch(/No trial of this version under this code is done yet/)

  await runTrials()
  const trial = await send('GET', `${CARDS}/card/trials/${id}`)
  expect(trial.body).toMatchObject({
    state: 'done',
    progress: 1,
    result: { verification: { rows: 1, matched: 1 }, dryRun: { captures: 1, candidate: { mean: 580 } } },
  })
  expect((await stage(version, 'challenge')).body).toEqual({ code: 'card', version, replaced: null })
  expect(await scoreOf(5)).toBeUndefined() // in shadow
  expect((await stage(version, 'promote')).body).toEqual({ code: 'card', version, replaced: null })
  expect(await scoreOf(5)).toBe(580)

  const second = await tried(about(700))
  expect((await stage(second, 'promote')).body).toEqual({ code: 'card', version: second, replaced: version })
  expect(await scoreOf(5)).toBe(680)
  expect((await send('POST', `${CARDS}/card/rollback`)).body).toEqual({
    code: 'card',
    version,
    replaced: second,
  })
  expect(await scoreOf(5)).toBe(580)
  const nothing = await send('POST', `${CARDS}/card/rollback`)
  expect([nothing.status, nothing.body.detail]).toEqual([
    409,
    'The champion under card replaced no other version',
  ])
  await stage(version, 'retire')
  expect(await stages()).toEqual([
    ['About 600', 'retired'],
    ['About 700', 'retired'],
  ])

  const recorded = await service
    .db('audit_events')
    .where({ subscription_id: tenant.subscriptionId, actor: email })
    .orderBy('id')
    .select('action', 'subject', 'detail')
  expect(
    recorded.map(({ action, subject, detail }) => [action, subject, detail.version, detail.replaced]),
  ).toEqual([
    ['scorecard.draft', 'card', version, null],
    ['scorecard.challenge', 'card', version, null],
    ['scorecard.promote', 'card', version, null],
    ['scorecard.draft', 'card', second, null],
    ['scorecard.promote', 'card', second, version],
    ['scorecard.rollback', 'card', version, second],
    ['scorecard.retire', 'card', version, null],
  ])
})

describe('promoting', () => {
  test('is rejected while a verification row does not match, with the row', async () => {
    const version = await tried(
      about(600, [
        { inputs: { contacts: 5 }, score: 580 },
        { inputs: { contacts: 500 }, score: 1 },
      ]),
    )
    const rejection = await stage(version, 'promote')
    expect([rejection.status, rejection.body.detail]).toEqual([
      409,
      '1 of the 2 verification rows of this version do not match (row 2: score 615, expected 1); it was not promoted',
    ])
    expect(await stages()).toEqual([['About 600', 'draft']])
  })

  test('requires a version and a trial under this code', async () => {
    const { body } = await send('POST', `${CARDS}/other/versions`, { definition: about(600), captures: 1 })
    await runTrials()
    expect((await stage(body.version, 'promote')).body.title).toBe('not_found')
    expect((await stage('0'.repeat(64), 'retire')).body.title).toBe('not_found')
    expect((await stage('nonsense', 'retire')).body.errors).toEqual({
      version: ['must be 64 hexadecimal digits, as in the list of scorecards'],
    })
  })
})

describe('a definition', () => {
  test('that is invalid is rejected with every error and its path, and not saved', async () => {
    const { model, ...card } = aScorecardDefinition() as {
      model: { characteristics: { attributes: object[] }[] }
    }
    const faulty = {
      ...card,
      inputs: [{ name: 'contacts', feature: 'contact_count', type: 'number' }],
      model: {
        ...model,
        characteristics: [
          {
            name: 'contacts',
            input: 'contacts',
            attributes: [
              { below: 10, points: 1 },
              { above: 10, points: 2 },
            ],
          },
        ],
      },
    }
    const { status, body } = await draft(faulty)
    expect([status, body.title]).toEqual([400, 'validation_failed'])
    expect(body.errors).toEqual({
      'definition.model.characteristics.0.attributes': [
        'contacts: missing has no bin',
        'contacts: 10 has no bin',
      ],
      'definition.inputs.0.feature': ['there is no feature "contact_count"'],
    })
    expect(await stages()).toEqual([])
    expect((await draft('text')).body.errors).toHaveProperty('definition')
    expect(Object.keys((await draft({})).body.errors)).toContain('definition.format')
    const badCode = await send('POST', `${CARDS}/a%20b/versions`, {
      definition: aScorecardDefinition(),
      captures: 1,
    })
    expect(badCode.body.errors).toEqual({ code: ['must be 1 to 100 letters, digits, _, . or -'] })
  })

  test('of 500 characteristics is validated in a thread, while the process continues to respond', async () => {
    const attributes = Array.from({ length: 150 }, (_, at) => ({ from: at, below: at + 1, points: at }))
    const characteristics = Array.from({ length: 300 }, (_, at) => ({
      ...{ name: `c${at}`, input: 'contacts' },
      attributes: [...attributes, { else: true, points: 0 }, { missing: true, points: 0 }],
    }))
    let worstMs = 0
    let last = performance.now()
    const beat = setInterval(() => {
      worstMs = Math.max(worstMs, performance.now() - last)
      last = performance.now()
    }, 5)
    const startedAt = performance.now()
    const { status, body } = await draft({
      ...aScorecardDefinition(),
      model: { kind: 'points', characteristics },
    })
    const tookMs = performance.now() - startedAt
    clearInterval(beat)
    expect([status, body.state]).toEqual([200, 'waiting'])
    expect(worstMs).toBeLessThan(Math.max(250, tookMs / 2))
  })

  test('nested as deep as 8 MB allow is rejected like any other', async () => {
    const deep = `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`
    for (const member of ['name', 'model', 'exclusions']) {
      const { status, body } = await send(
        'POST',
        `${CARDS}/card/versions`,
        `{"definition":{"format":"scorecard/1","${member}":${deep}},"captures":1}`,
      )
      expect([status, body.title]).toEqual([400, 'validation_failed'])
    }
  })

  test('beyond 8 MB is rejected before it is read', async () => {
    const { status, body } = await draft({
      ...aScorecardDefinition(),
      description: 'x'.repeat(8 * 1024 * 1024),
    })
    expect([status, body.title]).toEqual([413, 'payload_too_large'])
  })

  test('is returned as saved; an unknown one is not found', async () => {
    const { body } = await draft(about(650))
    const read = await send('GET', `${CARDS}/${body.version}`)
    expect(read.body).toMatchObject({ name: 'About 650', model: { basePoints: 650 } })
    for (const version of ['0'.repeat(64), 'x'])
      expect((await send('GET', `${CARDS}/${version}`)).body.title).toBe('not_found')
  })

  test('that exists already keeps its stage and gets a new trial', async () => {
    const version = await tried(about(600))
    await stage(version, 'promote')
    expect((await draft(about(600))).body).toMatchObject({ version, state: 'waiting' })
    expect(await stages()).toEqual([['About 600', 'champion']])
    const twice = await draft(about(600))
    expect([twice.status, twice.body.title]).toEqual([409, 'conflict'])
  })
})

test('a definition has a summary: characteristics, bins as in explanations, reasons, conditions', async () => {
  const [mobile] = (await send('GET', CARDS)).body.items
  const { body } = await send('GET', `${CARDS}/${mobile.versions[0].version}/summary`)
  expect(body).toMatchObject({
    name: 'Demonstration, mobile',
    demonstration: true,
    models: [{ segment: null, kind: 'points', basePoints: 554, size: '13 characteristics' }],
  })
  expect(body.models[0].characteristics[0]).toMatchObject({
    name: 'device_os_age_years',
    reason: { code: 'OS_AGE' },
    bins: [
      { bin: '< 1.5', points: '17' },
      { bin: '[1.5, 3.5)', points: '6' },
      { bin: '>= 3.5', points: '-17' },
      { bin: 'missing', points: '-6' },
    ],
  })
  const { model, ...card } = aScorecardDefinition({
    exclusions: [
      {
        when: {
          platforms: ['web'],
          predicate: {
            any: [{ input: 'contacts', op: '>', value: 9 }, { not: { input: 'contacts', op: 'known' } }],
          },
        },
        reason: 'odd',
      },
    ],
  })
  const attributes = [
    {
      when: { input: 'contacts', op: 'in', values: [1, 2] },
      points: { op: '*', args: [2, { input: 'contacts' }] },
    },
    { else: true, points: { op: 'min', args: [1, { op: '-', args: [{ input: 'contacts' }] }] } },
    { missing: true, points: 0 },
  ]
  const segment = { kind: 'points', characteristics: [{ name: 'c', input: 'contacts', attributes }] }
  const drafted = await draft({
    ...card,
    segments: [
      { name: 'thin', when: { fewerInputsThan: 2 }, model: segment },
      { name: 'rest', when: {}, model },
    ],
  })
  const summary = await send('GET', `${CARDS}/${drafted.body.version}/summary`)
  expect(summary.body.exclusions).toEqual([
    { when: 'platform is web and (contacts > 9 or not contacts is known)', reason: 'odd' },
  ])
  expect(summary.body.models.map(({ when }: { when: string }) => when)).toEqual([
    'fewer than 2 inputs are known',
    'all other datasets',
  ])
  expect(summary.body.models[0].characteristics[0].bins).toEqual([
    { bin: 'contacts in 1, 2', points: '(2 * contacts)' },
    { bin: 'else', points: 'min(1, -contacts)' },
    { bin: 'missing', points: '0' },
  ])
})

test('the daily stability is returned as workers measured it', async () => {
  const { subscriptionId } = tenant
  const { version } = (await draft(about(600))).body
  const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
  const measured = (psi: number, mark: string) => ({
    ...{ subscriptionId, code: 'card', version, psi, mark },
    characteristics: [{ name: 'contacts', csi: psi * 2 }],
  })
  await saveStability(service.db, dayBefore(2), [measured(0.3, 'shifted')])
  await saveStability(service.db, dayBefore(1), [measured(0.3, 'shifted')])
  await saveStability(service.db, dayBefore(1), [measured(0.05, 'stable')])
  await saveStability(service.db, dayBefore(1), [])
  const { body } = await send('GET', `${CARDS}/card/stability?version=${version}`)
  expect(body.items).toEqual([
    { day: dayBefore(1), psi: 0.05, mark: 'stable', characteristics: [{ name: 'contacts', csi: 0.1 }] },
    { day: dayBefore(2), psi: 0.3, mark: 'shifted', characteristics: [{ name: 'contacts', csi: 0.6 }] },
  ])
  const one = await send('GET', `${CARDS}/card/stability?version=${version}&days=1`)
  expect(one.body.items).toHaveLength(1)
  expect((await send('GET', `${CARDS}/other/stability?version=${version}`)).body.items).toEqual([])
})

describe('trials', () => {
  test('can be repeated with another number of captures, one at a time, and are listed newest first', async () => {
    for (const contacts of [5, 7, 500]) await scoreOf(contacts)
    const version = await tried(about(600))
    const again = () => send('POST', `${CARDS}/card/trials`, { version, captures: 2 })
    const { status, body } = await again()
    expect([status, body.captures]).toEqual([200, 2])
    expect((await again()).body.title).toBe('conflict')
    await runTrials()
    const listed = await send('GET', `${CARDS}/card/trials?version=${version}`)
    expect(listed.body.items.map(({ progress }: { progress: number }) => progress)).toEqual([2, 3])
    const [card] = (await send('GET', CARDS)).body.items
    expect(card.versions[0].trial).toEqual({ id: body.id, state: 'done', rows: 0, matched: 0 })
    expect((await send('POST', `${CARDS}/card/trials`, { version, captures: 0 })).body.errors).toEqual({
      captures: ['must be at least 1'],
    })
    expect((await send('GET', `${CARDS}/other/trials/${body.id}`)).body.title).toBe('not_found')
    for (const id of ['0', 'x', '99999999999999999999'])
      expect((await send('GET', `${CARDS}/card/trials/${id}`)).body.title).toBe('not_found')
  })
})

describe('fragments', () => {
  const FRAGMENTS = '/api/fragments/v1'

  test('are listed, deployed and removed for new datasets, and the changes are recorded', async () => {
    const codes = async () =>
      (await send('GET', FRAGMENTS)).body.items.map(({ code }: { code: string }) => code)
    expect(await codes()).toEqual(['permission', 'device_info', 'velocity'])
    const put = await send('PUT', `${FRAGMENTS}/windows`, { kind: 'velocity_windows' })
    expect(put.body).toEqual({ code: 'windows', kind: 'velocity_windows' })
    expect((await send('GET', `${FRAGMENTS}/windows`)).body).toEqual(put.body)
    expect((await send('DELETE', `${FRAGMENTS}/permission`)).status).toBe(204)
    expect((await send('DELETE', `${FRAGMENTS}/permission`)).body.title).toBe('not_found')
    expect(await codes()).toEqual(['device_info', 'velocity', 'windows'])

    const body = anUpload()
    await upload(service.url, tenant.uploaderKey, body)
    await eventually(async () => {
      const { insights } = (await readByCode(service.url, tenant.requesterKey, body.referenceNumber)).body
      expect(insights.map(({ code }: { code: string }) => code)).toEqual([
        'demo_mobile',
        'device_info',
        'velocity',
        'windows',
      ])
    })
    const recorded = await service
      .db('audit_events')
      .where({ actor: email })
      .orderBy('id')
      .select('action', 'subject')
    expect(recorded.map(({ action, subject }) => [action, subject])).toEqual([
      ['fragment.deploy', 'windows'],
      ['fragment.remove', 'permission'],
    ])
  })

  test('of an unknown kind, or under an invalid code, are rejected', async () => {
    expect((await send('PUT', `${FRAGMENTS}/a`, { kind: 'nonsense' })).body.title).toBe('validation_failed')
    expect((await send('PUT', `${FRAGMENTS}/a%20b`, { kind: 'velocity' })).body.errors).toHaveProperty('code')
    expect((await send('GET', `${FRAGMENTS}/nothing`)).body.title).toBe('not_found')
  })
})
