import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSubscription } from '../../db/accounts/subscriptions.ts'
import type { Actor } from '../../db/audit/actor.ts'
import { AUDIT_ACTIONS } from '../../db/audit/audit-actions.ts'
import { recordAudit } from '../../db/audit/audit-events.ts'
import { anActor } from '../support/actors.ts'
import { addAuditEvents } from '../support/audit-events.ts'
import { call, logIn } from '../support/client.ts'
import { addUser, type Service, startService } from '../support/service.ts'

interface Party {
  readonly subscriptionId: number
  readonly token: string
}

let service: Service
let admins = 0

beforeAll(async () => {
  service = await startService({ worker: false })
})
afterAll(() => service.stop())

async function openParty(): Promise<Party> {
  const { id: subscriptionId } = await createSubscription(service.db, `Audited ${++admins}`)
  const userEmail = `audit${admins}@lender.example`
  await addUser(service.db, subscriptionId, userEmail, 'admin')
  return { subscriptionId, token: await logIn(service.url, { userEmail }) }
}

const list = ({ token }: Party, query: Record<string, string> = {}) =>
  call(service.url, 'GET', `/api/audit/v1?${new URLSearchParams(query)}`, { token })

interface Event {
  readonly subject: string
}

const subjectsOf = ({ body }: { body: { items: Event[] } }) => body.items.map(({ subject }) => subject)

/** Every event of the selection, by as many calls as it takes. */
async function listAll(
  party: Party,
  query: Record<string, string>,
): Promise<{ subjects: string[]; calls: number }> {
  const subjects: string[] = []
  for (let calls = 1, cursor = ''; ; calls++) {
    const answer = await list(party, { ...query, ...(cursor && { cursor }) })
    expect(answer.status).toBe(200)
    subjects.push(...subjectsOf(answer))
    if (answer.body.next === null) return { subjects, calls }
    cursor = answer.body.next
  }
}

/** Events an hour apart, the first of all on 1 January at 00:00. */
const addEvents = (
  { subscriptionId }: Party,
  events: number,
  { action = 'retention.datasets', first = 0 } = {},
) =>
  addAuditEvents(service.owner, {
    ...{ subscriptionId, events, action, first },
    at: "timestamptz '2026-01-01Z' + make_interval(hours => i)",
  })

test('events are listed with actor, action and subject, newest first', async () => {
  const party = await openParty()
  const { subscriptionId } = party
  const actor: Actor = { kind: 'user', id: 7, name: 'ann@lender.example', address: '203.0.113.7' }
  await recordAudit(service.db, { subscriptionId, actor, action: 'dataset.delete', subject: 'LN-1' })
  const detail = { role: 'uploader', label: 'loan backend' }
  await recordAudit(service.db, { subscriptionId, actor, action: 'key.create', subject: '7', detail })
  const { body } = await list(party)
  expect(body).toEqual({
    items: [
      {
        ...{ id: expect.any(Number), at: expect.any(String) },
        ...{ actor: 'ann@lender.example', actorKind: 'user', actorId: 7, address: '203.0.113.7' },
        ...{ action: 'key.create', subject: '7', detail, outcome: 'success' },
      },
      {
        ...body.items[1],
        actor: 'ann@lender.example',
        action: 'dataset.delete',
        subject: 'LN-1',
        detail: {},
      },
    ],
    next: null,
    searchedThrough: null,
  })
  expect(Math.abs(Date.parse(`${body.items[0].at}Z`) - Date.now())).toBeLessThan(60_000)
})

test('a subscription without changes has an empty log', async () => {
  const party = await openParty()
  for (const query of [{}, { since: '2026-01-01', until: '2027-01-01' }, { actor: 'ann', action: 'key.' }])
    expect((await list(party, query)).body).toEqual({ items: [], next: null, searchedThrough: null })
})

describe('of events by several users', () => {
  let party: Party

  beforeAll(async () => {
    party = await openParty()
    const { subscriptionId } = party
    for (const [actor, action, subject] of [
      ['ann@lender.example', 'key.create', '1'],
      ['bob@lender.example', 'key.revoke', '2'],
      ['ann@lender.example', 'scorecard.deploy', '3'],
      ['operator deploy', 'key.create', '4'],
      ['100%_@lender.example', 'dataset.delete', '5'],
    ] as const)
      await recordAudit(service.db, { subscriptionId, actor: anActor(actor), action, subject })
  })

  test.for<[query: Record<string, string>, subjects: string[]]>([
    [{ actor: 'ann@lender.example' }, ['3', '1']],
    [{ actor: 'ANN@' }, ['3', '1']],
    [{ actor: 'operator' }, ['4']],
    [{ actor: '100%_' }, ['5']],
    [{ actor: '%' }, ['5']],
    [{ action: 'key.create' }, ['4', '1']],
    [{ action: 'key.' }, ['4', '2', '1']],
    [{ action: 'key' }, []],
    [{ action: 'key.', actor: 'bob' }, ['2']],
    [{ action: '.' }, []],
  ])('%j selects %j', async ([query, subjects]) => {
    expect(subjectsOf(await list(party, query))).toEqual(subjects)
  })
})

test('since and until select events, to the hour', async () => {
  const party = await openParty()
  await addEvents(party, 100)
  const of = async (query: Record<string, string>) =>
    (await listAll(party, { ...query, limit: '200' })).subjects
  expect(await of({ since: '2026-01-05' })).toEqual(['99', '98', '97', '96'])
  expect(await of({ since: '2026-01-05T01:00:00Z', until: '2026-01-05T03:00:00.000000' })).toEqual([
    '98',
    '97',
  ])
  expect(await of({ since: '2026-01-05T04:00:00+02:00' })).toEqual(['99', '98'])
  expect(await of({ until: '2026-01-01T02:00:00Z' })).toEqual(['1', '0'])
  expect(await of({ until: '2025-12-31' })).toEqual([])
  expect(await of({ since: '2027-01-01' })).toEqual([])
  expect(await of({ since: '2026-01-03', until: '2026-01-02' })).toEqual([])
})

test('a search by time finds an event that was stored later, although its transaction began earlier', async () => {
  const party = await openParty()
  await addEvents(party, 10)
  await service.db.raw(
    `insert into audit_events (subscription_id, at, actor, action, subject)
     values (?, '2026-01-01T08:59:30Z', 'ann', 'key.create', 'late')`,
    [party.subscriptionId],
  )
  expect(subjectsOf(await list(party, { until: '2026-01-01T09:00:00Z', limit: '2' }))).toEqual(['late', '8'])
  expect(subjectsOf(await list(party, { since: '2026-01-01T08:59:00Z' }))).toEqual(['late', '9'])
})

test('pages have no gaps, even while new events are recorded', async () => {
  const party = await openParty()
  await addEvents(party, 25)
  const first = await list(party, { limit: '10' })
  await addEvents(party, 1)
  const second = await list(party, { limit: '10', cursor: first.body.next })
  const third = await list(party, { limit: '10', cursor: second.body.next })
  const subjects = [first, second, third].flatMap(subjectsOf)
  expect(subjects).toEqual(Array.from({ length: 25 }, (_, at) => String(24 - at)))
  expect(third.body.next).toBeNull()
})

describe('of hundreds of thousands of events', () => {
  let party: Party

  beforeAll(async () => {
    party = await openParty()
    await addEvents(party, 1, { action: 'key.create' })
    await addEvents(party, 150_000, { first: 1 })
    await addEvents(party, 1, { action: 'key.create', first: 150_001 })
    await addEvents(party, 150_000, { first: 150_002 })
    await service.owner.raw('analyze audit_events, audit_chain')
  })

  test('rare ones are found, by requests of bounded cost', async () => {
    const began = performance.now()
    const found = await listAll(party, { action: 'key.create' })
    expect(found.subjects).toEqual(['150001', '0'])
    expect(found.calls).toBe(16)
    expect((performance.now() - began) / found.calls).toBeLessThan(1_000)
  })

  test('an old one is found by its time in one request', async () => {
    const answer = await list(party, { until: '2026-01-01T03:00:00Z', since: '2026-01-01T01:00:00Z' })
    expect([subjectsOf(answer), answer.body.next]).toEqual([['2', '1'], null])
  })
})

test('an invalid filter is rejected, and the error names it', async () => {
  const party = await openParty()
  for (const [name, value] of [
    ['since', 'yesterday'],
    ['since', '0000-01-01'],
    ['until', '2026-13-01'],
    ['actor', ''],
    ['actor', 'a\0'],
    ['cursor', 'x'],
    ['cursor', '1180'],
    ['cursor', `seq-${'9'.repeat(16)}`],
    ['limit', '0'],
  ] as const) {
    const { status, body } = await list(party, { [name]: value })
    expect([name, status, Object.keys(body.errors ?? {})]).toEqual([name, 400, [name]])
  }
  expect((await list(party, { since: '9999-12-31T23:59:59Z' })).status).toBe(200)
})

test('every action is a resource, a dot and a verb', () => {
  for (const action of Object.keys(AUDIT_ACTIONS)) expect(action).toMatch(/^[a-z_]+\.[a-z_]+$/)
})
