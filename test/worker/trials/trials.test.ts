import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { queryRows } from '../../../db/postgres/database.ts'
import type { TrialResult } from '../../../db/scorecards/definition/trial-result.ts'
import { promoteScorecard } from '../../../db/scorecards/scorecard-stages.ts'
import {
  claimTrial,
  createTrial,
  findTrial,
  finishTrial,
  listTrials,
  renewTrial,
  type Trial,
} from '../../../db/scorecards/scorecard-trials.ts'
import { saveDefinition } from '../../../db/scorecards/scorecards.ts'
import { openBatchContext } from '../../../worker/batches/batch-context.ts'
import { processBatch } from '../../../worker/batches/process-batch.ts'
import { runNextTrial } from '../../../worker/trials/run-next-trial.ts'
import { aCapture } from '../../support/captures.ts'
import { aScorecard } from '../../support/scorecards.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench
let subscriptionId: number

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())
beforeEach(async () => {
  await bench.db('scorecard_trials').delete()
  subscriptionId = await bench.openSubscription()
})

const never = new AbortController().signal
const run = (members: { leaseMs?: number; signal?: AbortSignal } = {}) =>
  runNextTrial({ ...bench.context, ...members }, members.signal ?? never)

async function ask(definition = aScorecard(), captures = 100): Promise<Trial> {
  const version = await saveDefinition(bench.db, subscriptionId, definition)
  const asked = await createTrial(bench.db, {
    subscriptionId,
    code: 'card',
    version,
    askedBy: 'ann',
    captures,
  })
  if (!asked) throw new Error('There is such a trial already')
  return asked
}

async function find({ id }: Pick<Trial, 'id'>): Promise<Trial & { found: TrialResult | undefined }> {
  const trial = await findTrial(bench.db, subscriptionId, 'card', id)
  if (!trial) throw new Error(`There is no trial ${id}`)
  return { ...trial, found: trial.result === null ? undefined : JSON.parse(trial.result) }
}

/** Ready datasets of so many captures, with these contacts each. */
async function receiveReady(contacts: readonly number[]): Promise<void> {
  const keys = await bench.receive(
    ...contacts.map((count) => ({ subscriptionId, capture: aCapture({ contacts: { count } }) })),
  )
  await bench.process(keys)
}

/** Copies a dataset's insight so often, for trials that take their time. */
async function multiply(times: number): Promise<void> {
  await queryRows(
    bench.db,
    `with copies as (
       insert into datasets (subscription_id, reference_number, data_hash, real_ip, status, platform, uploaded_at)
       select subscription_id, reference_number || '-' || n, data_hash, real_ip, status, platform, uploaded_at
       from datasets, generate_series(1, ?::integer) n where subscription_id = ?
       returning subscription_id, id
     )
     insert into insights select (jsonb_populate_record(i, jsonb_build_object('dataset_id', c.id))).*
     from copies c join insights i on i.subscription_id = c.subscription_id`,
    [times, subscriptionId],
  )
}

const SHIFTED = aScorecard({
  name: 'Shifted',
  verification: [
    { inputs: { contacts: 5 }, score: 580 },
    { inputs: { contacts: 500 }, score: 615 },
    { inputs: {}, score: 600 },
  ],
})

test('a trial verifies the rows of a definition and scores the newest captures alongside the champion', async () => {
  await receiveReady([5, 7, 500])
  const champion = await saveDefinition(bench.db, subscriptionId, aScorecard({ name: 'Champion' }))
  await bench.db.transaction((trx) =>
    promoteScorecard(trx, { subscriptionId, code: 'card', version: champion }),
  )
  const asked = await ask(SHIFTED)
  expect(asked).toMatchObject({ state: 'waiting', progress: 0, askedBy: 'ann', captures: 100, result: null })
  expect(await run()).toBe(true)
  expect(await run()).toBe(false)
  const { found, ...trial } = await find(asked)
  expect(trial).toMatchObject({ state: 'done', progress: 3, error: null })
  expect(trial.endedAt).toBeTruthy()
  expect(found?.verification).toEqual({ rows: 3, matched: 3, mismatches: [] })
  expect(found?.dryRun).toMatchObject({
    captures: 3,
    candidate: { scored: 3, min: 580, max: 615 },
    champion: { scored: 3 },
    shift: { psi: 0, mark: 'stable' },
    histogram: { from: 580, width: 1 },
  })
  expect(found?.dryRun.histogram?.candidate[0]).toBeCloseTo(2 / 3)
})

test('mismatching rows are listed with their inputs', async () => {
  const asked = await ask(
    aScorecard({
      verification: [
        { inputs: { contacts: 5 }, score: 580 },
        { inputs: { contacts: 500 }, score: 614, probability: 0.5 },
      ],
    }),
  )
  await run()
  expect((await find(asked)).found?.verification).toEqual({
    rows: 2,
    matched: 1,
    mismatches: [{ row: 2, detail: 'score 615, expected 614', inputs: { contacts: 500 } }],
  })
})

test('concurrent workers claim a trial once', async () => {
  await Promise.all(
    Array.from({ length: 6 }, (_, n) =>
      ask(aScorecard({ name: `at once ${n}` })).then(({ version }) => version),
    ),
  )
  const claimed = await Promise.all(Array.from({ length: 12 }, () => claimTrial(bench.db, 30_000)))
  const ids = claimed.flatMap((trial) => trial?.id ?? [])
  expect([ids.length, new Set(ids).size]).toEqual([6, 6])
})

test('a version has one open trial, a subscription ten; the last ten trials of a version are retained', async () => {
  const { version } = await ask()
  const again = { subscriptionId, code: 'card', version, askedBy: 'bob', captures: 1 }
  expect(await createTrial(bench.db, again)).toBeUndefined()
  await run()
  for (let n = 0; n < 12; n++) {
    expect(await createTrial(bench.db, again)).toBeDefined()
    await run()
  }
  const stored = await listTrials(bench.db, subscriptionId, 'card', version)
  expect(stored.map(({ state }) => state)).toEqual(new Array(10).fill('done'))
  for (let n = 0; n < 10; n++) await ask(aScorecard({ name: `many ${n}` }))
  await expect(ask(aScorecard({ name: 'one too many' }))).rejects.toThrow('There is such a trial already')
})

describe('a worker', () => {
  test('that is killed loses its trial to another worker, and its late result is ignored', async () => {
    const asked = await ask(SHIFTED)
    const killed = await claimTrial(bench.db, 30_000)
    if (!killed) throw new Error('There was no trial')
    expect(await run({ leaseMs: 30_000 })).toBe(false) // it may still live
    await bench
      .db('scorecard_trials')
      .where({ id: asked.id })
      .update({ claimed_at: new Date(Date.now() - 31_000) })
    expect(await run({ leaseMs: 30_000 })).toBe(true)
    const done = await find(asked)
    expect(done).toMatchObject({ state: 'done', found: { verification: { matched: 3 } } })
    expect(await renewTrial(bench.db, killed, 5)).toBe(false)
    expect(await finishTrial(bench.db, killed, { ...(done.found as TrialResult) })).toBe(false)
    expect(await find(asked)).toEqual(done)
  })

  test('that renews a trial which another worker has taken over stops it', async () => {
    await receiveReady([5])
    await multiply(8_000)
    const asked = await ask(aScorecard(), 8_000)
    const running = run()
    await expect.poll(async () => (await find(asked)).progress, { interval: 5 }).toBeGreaterThan(0)
    // again where the worker that runs it has renewed its claim in between
    await expect
      .poll(async () => {
        await bench
          .db('scorecard_trials')
          .where({ id: asked.id })
          .update({ claimed_at: new Date(0) })
        return claimTrial(bench.db, 30_000)
      })
      .toMatchObject({ id: asked.id, attempt: 2 })
    expect(await running).toBe(true)
    expect(await find(asked)).toMatchObject({ state: 'running', result: null })
  })

  test('that drains releases its trial immediately', async () => {
    await receiveReady([5])
    await multiply(8_000)
    const asked = await ask(aScorecard(), 8_000)
    const draining = new AbortController()
    const running = run({ signal: draining.signal })
    await expect.poll(async () => (await find(asked)).progress, { interval: 5 }).toBeGreaterThan(0)
    draining.abort()
    expect(await running).toBe(false)
    expect(await find(asked)).toMatchObject({ state: 'waiting', progress: 0 })
    expect(await run()).toBe(true)
    expect(await find(asked)).toMatchObject({ state: 'done', progress: 8_000 })
  })

  test('processes new datasets first: they are settled before the trial ends', async () => {
    await receiveReady([5])
    await multiply(8_000)
    const context = openBatchContext({ db: bench.db, log: bench.context.log })
    const asked = await ask(aScorecard(), 8_000)
    const running = runNextTrial(context, never)
    await expect.poll(async () => (await find(asked)).progress, { interval: 5 }).toBeGreaterThan(0)
    const keys = await bench.receive(...Array.from({ length: 20 }, () => ({ subscriptionId })))

    await processBatch(context, keys)
    const { state } = await find(asked)
    expect((await bench.list(keys)).map(({ status }) => status)).toEqual(new Array(20).fill('ready'))
    expect(state).toBe('running')
    await running
    expect((await find(asked)).state).toBe('done')
  })
})

test('a trial fails with the reason if its definition does not compile or repeatedly ends its workers', async () => {
  const log = pino({ level: 'silent' })
  const asked = await ask()
  await bench
    .db('scorecard_versions')
    .where({ subscription_id: subscriptionId, version: asked.version })
    .update({ definition: JSON.stringify({ ...aScorecard(), model: { kind: 'points' } }) })
  expect(await runNextTrial({ ...bench.context, log }, never)).toBe(true)
  expect(await find(asked)).toMatchObject({ state: 'failed', error: expect.stringMatching(/./) })

  const spent = await ask(aScorecard({ name: 'too big' }))
  for (let attempt = 0; attempt < 3; attempt++) await claimTrial(bench.db, -1_000)
  expect(await run({ leaseMs: -1_000 })).toBe(true)
  expect(await find(spent)).toMatchObject({
    state: 'failed',
    error: expect.stringMatching(/after 3 attempts/),
  })
})

test('a trial is not visible to other subscriptions', async () => {
  const asked = await ask()
  const other = await bench.openSubscription()
  expect(await findTrial(bench.db, other, 'card', asked.id)).toBeUndefined()
  expect(await listTrials(bench.db, other, 'card', asked.version)).toEqual([])
})
