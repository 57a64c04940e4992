import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSubscription } from '../../../db/accounts/subscriptions.ts'
import { type Db, openDatabase, queryRows } from '../../../db/postgres/database.ts'
import {
  challengeScorecard,
  draftScorecard,
  promoteScorecard,
  retireScorecard,
  rollBackScorecard,
} from '../../../db/scorecards/scorecard-stages.ts'
import {
  listDefinitions,
  listScoringVersions,
  listVersions,
  saveDefinition,
} from '../../../db/scorecards/scorecards.ts'
import { aScorecard } from '../../support/scorecards.ts'
import { openTestDatabase } from '../../support/stores.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench
let subscriptionId: number
let a: string
let b: string
let c: string

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

beforeEach(async () => {
  subscriptionId = await bench.openSubscription()
  const save = (name: string) => saveDefinition(bench.db, subscriptionId, aScorecard({ name }))
  ;[a, b, c] = [await save('a'), await save('b'), await save('c')]
})

const place = () => ({ subscriptionId, code: 'card' })
const inOne = <T>(work: (trx: Db) => Promise<T>) => bench.db.transaction(work)
const promote = (version?: string) => inOne((trx) => promoteScorecard(trx, { ...place(), version }))
const challenge = (version: string) => inOne((trx) => challengeScorecard(trx, { ...place(), version }))
const rollBack = () => inOne((trx) => rollBackScorecard(trx, place()))

/** Stage by version. */
async function stages(): Promise<Record<string, string>> {
  const names = new Map([a, b, c].map((version, at) => [version, 'abc'[at] ?? '']))
  const listed = await listVersions(bench.db, subscriptionId)
  return Object.fromEntries(listed.map(({ version, stage }) => [names.get(version) ?? version, stage]))
}

test('a draft does not score; a challenger and a champion do', async () => {
  await inOne((trx) => draftScorecard(trx, { ...place(), version: a }))
  expect([await stages(), await listScoringVersions(bench.db, [subscriptionId])]).toEqual([
    { a: 'draft' },
    [],
  ])
  await challenge(b)
  await promote(c)
  expect(await stages()).toEqual({ a: 'draft', b: 'challenger', c: 'champion' })
  expect(
    (await listScoringVersions(bench.db, [subscriptionId])).map(({ version, stage }) => [version, stage]),
  ).toEqual([
    [b, 'challenger'],
    [c, 'champion'],
  ])
})

test('a new challenger makes the previous one a draft', async () => {
  await challenge(a)
  expect(await challenge(b)).toEqual({ code: 'card', version: b, replaced: a })
  expect(await stages()).toEqual({ a: 'draft', b: 'challenger' })
})

test('promotion takes the challenger, retires the champion and allows another challenger', async () => {
  await promote(a)
  await challenge(b)
  expect(await promote()).toEqual({ code: 'card', version: b, replaced: a })
  expect(await stages()).toEqual({ a: 'retired', b: 'champion' })
  await challenge(c)
  expect(await stages()).toEqual({ a: 'retired', b: 'champion', c: 'challenger' })
})

test('rollback goes back as far as champions replaced each other', async () => {
  await promote(a)
  await promote(b)
  await promote(c)
  expect(await rollBack()).toEqual({ code: 'card', version: b, replaced: c })
  expect(await rollBack()).toEqual({ code: 'card', version: a, replaced: b })
  expect(await stages()).toEqual({ a: 'champion', b: 'retired', c: 'retired' })
  await expect(rollBack()).rejects.toThrow('The champion under card replaced no other version')
})

test('repeated rollback ends, also after two champions alternated', async () => {
  await promote(a)
  await promote(b)
  await promote(a)
  expect(await rollBack()).toMatchObject({ version: b, replaced: a })
  expect(await rollBack()).toMatchObject({ version: a, replaced: b })
  await expect(rollBack()).rejects.toThrow('replaced no other version')
})

test('setting the challenger again keeps its start date', async () => {
  await challenge(a)
  const [before] = await listVersions(bench.db, subscriptionId)
  expect(await challenge(a)).toEqual({ code: 'card', version: a, replaced: null })
  expect(await listVersions(bench.db, subscriptionId)).toEqual([before])
})

test('promoting the champion again changes nothing, so that rollback still restores the previous one', async () => {
  await promote(a)
  await promote(b)
  expect(await promote(b)).toEqual({ code: 'card', version: b, replaced: null })
  expect(await rollBack()).toMatchObject({ version: a })
})

test('impossible changes are rejected with a reason', async () => {
  await expect(promote()).rejects.toThrow('There is no challenger under card: specify a version')
  await expect(rollBack()).rejects.toThrow('There is no champion under card')
  await promote(a)
  await expect(challenge(a)).rejects.toThrow('This version is the champion')
  await expect(inOne((trx) => retireScorecard(trx, { ...place(), version: b }))).rejects.toThrow(
    `There is no version ${b} under card`,
  )
})

test('a retired champion leaves the code without scores', async () => {
  await promote(a)
  await inOne((trx) => retireScorecard(trx, { ...place(), version: a }))
  expect(await listScoringVersions(bench.db, [subscriptionId])).toEqual([])
})

test('concurrent promotions leave one champion, and each retires the one that it found', async () => {
  const versions = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      saveDefinition(bench.db, subscriptionId, aScorecard({ name: `at once ${n}` })),
    ),
  )
  const changes = await Promise.all(versions.map((version) => promote(version)))
  const listed = await listVersions(bench.db, subscriptionId)
  expect(listed.filter(({ stage }) => stage === 'champion')).toHaveLength(1)
  const replaced = changes.map((change) => change.replaced)
  expect(new Set(replaced).size).toBe(8) // a chain: none was overwritten unseen
})

describe('versions', () => {
  test('are stored as they were saved, and never change', async () => {
    const card = aScorecard({ name: 'a' })
    expect(await saveDefinition(bench.db, subscriptionId, card)).toBe(a)
    const [found] = await listDefinitions(bench.db, [{ subscriptionId, version: a }])
    expect(found?.definition).toEqual(JSON.parse(JSON.stringify(card)))
  })

  test('of another subscription are not found', async () => {
    const other = await bench.openSubscription()
    expect(await listDefinitions(bench.db, [{ subscriptionId: other, version: a }])).toEqual([])
    await expect(
      inOne((trx) => promoteScorecard(trx, { subscriptionId: other, code: 'card', version: a })),
    ).rejects.toThrow(/foreign key/)
  })
})

test('a list describes versions without reading their definitions, which may be large', async () => {
  // a separate database and connection: statistics of other connections arrive later
  const stored = await openTestDatabase()
  const db = openDatabase({ url: stored.url, poolMax: 1 })
  const countReads = async () => {
    await db.raw('select pg_stat_force_next_flush()')
    await db.raw('select pg_stat_clear_snapshot()')
    const [row] = await queryRows<{ blocks: number }>(
      db,
      `select (toast_blks_read + toast_blks_hit)::int as blocks from pg_statio_user_tables where relname = 'scorecard_versions'`,
    )
    return row?.blocks ?? 0
  }
  const { id } = await createSubscription(db, 'Lender')
  const verification = Array.from({ length: 5_000 }, (_, n) => ({
    inputs: { contacts: n },
    score: Math.sin(n),
  }))
  const definition = { ...aScorecard({ name: 'big' }), verification }
  const version = await saveDefinition(db, id, definition)
  await db.transaction((trx) => draftScorecard(trx, { subscriptionId: id, code: 'card', version }))
  const before = await countReads()
  expect(before).toBeGreaterThan(10)
  expect(await listVersions(db, id)).toMatchObject([
    { version, name: 'big', platforms: definition.platforms, kinds: ['points'] },
  ])
  expect(await countReads()).toBe(before)
  await listDefinitions(db, [{ subscriptionId: id, version }])
  expect(await countReads()).toBeGreaterThan(before)
  await db.destroy()
  await stored.drop()
})
