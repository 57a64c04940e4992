import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '../../db/accounts/api-keys.ts'
import { createSubscription } from '../../db/accounts/subscriptions.ts'
import { recordAuditEvents } from '../../db/audit/audit-events.ts'
import { createTrial } from '../../db/scorecards/scorecard-trials.ts'
import { saveDefinition } from '../../db/scorecards/scorecards.ts'
import { anActor } from '../support/actors.ts'
import { call, logIn } from '../support/client.ts'
import { aScorecard } from '../support/scorecards.ts'
import { addUser, inviteSomebody, type Service, startService } from '../support/service.ts'
import { addSiteKey } from '../support/site-keys.ts'

/** A subscription with an admin and a version of a scorecard. */
interface Party {
  readonly subscriptionId: number
  readonly version: string
  readonly token: string
}

let service: Service
let ann: Party
let bob: Party

beforeAll(async () => {
  service = await startService({ worker: false })
  ann = await openParty('ann')
  bob = await openParty('bob')
})
afterAll(() => service.stop())

async function openParty(name: string): Promise<Party> {
  const { id: subscriptionId } = await createSubscription(service.db, name)
  const userEmail = `${name}@lender.example`
  await addUser(service.db, subscriptionId, userEmail, 'admin')
  const version = await saveDefinition(service.db, subscriptionId, aScorecard({ name: 'Loans' }))
  const token = await logIn(service.url, { userEmail })
  await service.flushCounts() // the audit event of the sign-in
  return { subscriptionId, version, token }
}

/** Adds one of each. */
async function addAll({ subscriptionId, version }: Party, code: string): Promise<void> {
  const { db } = service
  await inviteSomebody(db, subscriptionId)
  await createApiKey(db, { subscriptionId, role: 'uploader', label: code })
  await addSiteKey(db, { subscriptionId, label: code })
  await createTrial(db, { subscriptionId, code, version, askedBy: 'ann', captures: 1 })
}

const get = async ({ token }: Party, path: string) => (await call(service.url, 'GET', path, { token })).body

/** Lists the ids of a page, newest first. */
const idsOf = async (party: Party, path: string): Promise<number[]> =>
  (await get(party, path)).items.map(({ id }: { id: number }) => id)

const trialOf = async (party: Party, code: string) =>
  (await idsOf(party, `/api/scorecards/v1/${code}/trials?version=${party.version}`))[0] ?? 0

/** Lists the ids of each kind that a subscription sees. */
const idsByKind = async (party: Party): Promise<Record<string, number[]>> => ({
  users: await idsOf(party, '/api/users/v1'),
  keys: await idsOf(party, '/api/keys/v1'),
  siteKeys: await idsOf(party, '/api/site-keys/v1'),
  trials: [await trialOf(party, 'first'), await trialOf(party, 'second')],
})

test('ids of users, keys, site keys and trials do not count those of other subscriptions', async () => {
  await addAll(ann, 'first')
  for (let n = 0; n < 8; n++) await addAll(bob, `between-${n}`)
  await addAll(ann, 'second')
  for (const [kind, ids] of Object.entries(await idsByKind(ann))) {
    expect(ids.length, kind).toBeGreaterThanOrEqual(2)
    for (const id of ids) expect(String(id), kind).toMatch(/^\d{9}$/)
    // counted ones would be less than 50 apart; random ones are so with a probability of one in a million
    const gaps = ids
      .toSorted((a, b) => a - b)
      .flatMap((id, n, all) => (n === 0 ? [] : [id - (all[n - 1] ?? 0)]))
    expect(Math.min(...gaps), kind).toBeGreaterThan(50)
  }
  const all = await service.db.raw(`select id from users union all select id from api_keys
    union all select id from site_keys union all select id from scorecard_trials`)
  expect(new Set(all.rows.map(({ id }: { id: number }) => id)).size).toBe(all.rows.length)
  expect(all.rows.length).toBeGreaterThan(40)
})

test('ids are spread over all numbers of nine digits, in no order', async () => {
  const { rows } = await service.db.raw('select next_opaque_id() as id from generate_series(1, 2000)')
  const ids: number[] = rows.map(({ id }: { id: number }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const average = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
  // of uniform and independent numbers: halfway, and a third of the range apart; deviations are of seven sigma
  expect(Math.abs(average(ids) - 550e6)).toBeLessThan(40e6)
  expect(Math.abs(average(ids.slice(1).map((id, n) => Math.abs(id - (ids[n] ?? 0)))) - 300e6)).toBeLessThan(
    40e6,
  )
  expect(Math.min(...ids)).toBeGreaterThanOrEqual(100e6)
  expect(Math.min(...ids)).toBeLessThan(110e6)
  expect(Math.max(...ids)).toBeGreaterThan(990e6)
})

test('ids of audit events count those of the subscription, in order of their commits', async () => {
  const record = ({ subscriptionId }: Party) =>
    recordAuditEvents(service.db, [{ subscriptionId, actor: anActor('ann'), action: 'key.create' }])
  const [newest = 0] = await idsOf(ann, '/api/audit/v1?limit=1')
  await service.db.transaction(async (trx) => {
    const { subscriptionId } = ann
    await recordAuditEvents(trx, [{ subscriptionId, actor: anActor('ann'), action: 'key.revoke' }])
    for (let n = 0; n < 5; n++) await record(bob)
    await record(ann) // commits before the event above
  })
  const page = await get(ann, '/api/audit/v1?limit=2')
  expect(page.items).toMatchObject([
    { id: newest + 2, action: 'key.revoke' },
    { id: newest + 1, action: 'key.create' },
  ])
  expect(await get(ann, `/api/audit/v1?limit=1&cursor=${page.next}`)).toMatchObject({
    items: [{ id: newest }],
  })
})

test('cursors of reprocessing are reference numbers', async () => {
  await service.db.raw(
    `insert into datasets (subscription_id, reference_number, data_hash, status)
     select ?, 'R-' || i, '', 'invalid' from generate_series(1, 5001) i`,
    [ann.subscriptionId],
  )
  const reprocess = ({ token }: Party, cursor?: string) =>
    call(service.url, 'POST', '/api/pipeline/v1/reprocess', { token, body: { status: 'invalid', cursor } })
  expect((await reprocess(ann)).body).toEqual({ requeued: 0, withoutData: 5_000, next: 'R-5000' })
  expect((await reprocess(ann, 'R-5000')).body).toEqual({ requeued: 0, withoutData: 1, next: null })
  for (const [party, cursor] of [
    [ann, 'unknown'],
    [bob, 'R-5000'],
  ] as const)
    expect(await reprocess(party, cursor)).toMatchObject({
      status: 400,
      body: { errors: { cursor: [expect.any(String)] } },
    })
})
