import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import { startRecording } from '../../../db/events/recording.ts'
import { addScoreCounts, pruneScoreCounts, type ScoreCount } from '../../../db/monitoring/score-counts.ts'
import { saveStability } from '../../../db/monitoring/score-stability.ts'
import { openDatabase } from '../../../db/postgres/database.ts'
import { promoteScorecard } from '../../../db/scorecards/scorecard-stages.ts'
import { saveDefinition } from '../../../db/scorecards/scorecards.ts'
import type { Scored } from '../../../worker/batches/compute-insight.ts'
import { processBatch } from '../../../worker/batches/process-batch.ts'
import { openMetrics } from '../../../worker/health/metrics.ts'
import { openProgress } from '../../../worker/health/progress.ts'
import { monitorScores } from '../../../worker/monitoring/monitor-scores.ts'
import { openScoreCounts } from '../../../worker/monitoring/score-counts.ts'
import { daysBefore, measureStability } from '../../../worker/monitoring/score-stability.ts'
import { aCapture } from '../../support/captures.ts'
import { aScorecard } from '../../support/scorecards.ts'
import { openTcpProxy } from '../../support/tcp-proxy.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

const TODAY = new Date().toISOString().slice(0, 10)

async function promote(subscriptionId: number, members: Record<string, unknown> = {}): Promise<string> {
  const version = await saveDefinition(bench.db, subscriptionId, aScorecard(members))
  await bench.db.transaction((trx) => promoteScorecard(trx, { subscriptionId, code: 'card', version }))
  return version
}

const listed = async (subscriptionId: number) =>
  (
    await bench
      .db('score_counts')
      .where({ subscription_id: subscriptionId })
      .orderBy(['day', 'characteristic', 'bin'])
      .select(bench.db.raw("to_char(day, 'YYYY-MM-DD') as day"), 'characteristic', 'bin', 'datasets')
  ).map(({ day, characteristic, bin, datasets }) => [day, characteristic, bin, datasets])

const aScore = (value: number, bin = 'a'): Scored => ({
  ...{ code: 'card', version: 'v', stage: 'champion' },
  score: {
    ...{ value, unrounded: value, probability: null, unroundedProbability: null, probabilityFrom: null },
    ...{ logOdds: null, segment: null },
    ...{ reasons: [], base: null },
    contributions: [{ characteristic: 'x', input: 1, bin, points: 1, baseline: null, reasonCode: null }],
  },
})

describe('counting', () => {
  test('each dataset counts once, by score and by bin, and not again when recalculated', async () => {
    const subscriptionId = await bench.openSubscription()
    await promote(subscriptionId)
    const counts = openScoreCounts(bench.db)
    const context = { ...bench.context, observer: { onScored: counts.add } }
    const capture = (contacts: number) => aCapture({ contacts: { count: contacts } })
    const keys = await bench.receive(
      ...[5, 7, 500].map((count) => ({ subscriptionId, capture: capture(count) })),
      { subscriptionId, blob: Buffer.from('none') },
    )
    await processBatch(context, keys)
    await processBatch(context, keys)
    const [first] = keys as [DatasetKey]
    await bench
      .db('datasets')
      .where({ subscription_id: subscriptionId, id: first.id })
      .update({ ring_at: new Date() })
    await processBatch(context, keys)
    await counts.flush()
    expect(await listed(subscriptionId)).toEqual([
      [TODAY, '', '580', 2],
      [TODAY, '', '615', 1],
      [TODAY, 'contacts', '< 100', 2],
      [TODAY, 'contacts', '>= 100', 1],
    ])
  })

  test('datasets without a score are counted separately', async () => {
    const subscriptionId = await bench.openSubscription()
    const counts = openScoreCounts(bench.db)
    const none = { value: null, probability: null, reason: 'none' } as const
    counts.add(subscriptionId, [{ ...aScore(0), score: none }])
    await counts.flush()
    expect(await listed(subscriptionId)).toEqual([[TODAY, '', '', 1]])
  })

  test('counts of concurrent workers add up, in any order', async () => {
    const subscriptionId = await bench.openSubscription()
    const workers = Array.from({ length: 6 }, () => openScoreCounts(bench.db))
    for (let round = 0; round < 5; round++) {
      for (const [w, worker] of workers.entries())
        for (let n = 0; n < 60; n++)
          worker.add(subscriptionId, [aScore(400 + ((w % 2 ? n : 60 - n) % 60), `${n % 7}`)])
      await Promise.all(workers.map((worker) => worker.flush()))
    }
    const rows = await listed(subscriptionId)
    const total = (name: string) =>
      rows.reduce(
        (sum, [, characteristic, , datasets]) => sum + (characteristic === name ? Number(datasets) : 0),
        0,
      )
    expect([total(''), total('x')]).toEqual([1_800, 1_800])
  })

  test('counts that could not be written are written by the next flush, once', async () => {
    const subscriptionId = await bench.openSubscription()
    const proxy = await openTcpProxy(bench.url)
    const db = openDatabase({ url: proxy.url, poolMax: 1 })
    const counts = openScoreCounts(db)
    counts.add(subscriptionId, [aScore(500)])
    await proxy.cut()
    const failing = counts.flush()
    counts.add(subscriptionId, [aScore(500)]) // meanwhile
    await expect(failing).rejects.toThrow()
    counts.add(subscriptionId, [aScore(500)])
    await proxy.restore()
    await counts.flush()
    await counts.flush()
    expect(await listed(subscriptionId)).toContainEqual([TODAY, '', '500', 3])
    await db.destroy()
    await proxy.cut()
  })

  test('the number of distinct bins and scores is limited', async () => {
    const subscriptionId = await bench.openSubscription()
    const counts = openScoreCounts(bench.db)
    for (let n = 0; n < 5_000; n++) counts.add(subscriptionId, [aScore(n * 1_000, `bin ${n}`)])
    await counts.flush()
    const rows = await listed(subscriptionId)
    expect(rows.filter(([, characteristic]) => characteristic === 'x')).toHaveLength(101)
    expect(rows.filter(([, characteristic]) => characteristic === '').length).toBeLessThan(3_000)
  })
})

describe('monitoring', () => {
  const count = (day: string, characteristic: string, bin: string, datasets: number): ScoreCount => ({
    ...{ subscriptionId: 1, code: 'card', version: 'v' },
    ...{ day, characteristic, bin, datasets },
  })
  const place = { code: 'card', version: 'v' }

  test('compares each day with the expected distribution of the definition', () => {
    const expected = {
      scores: [{ below: 500, share: 0.5 }, { share: 0.5 }],
      characteristics: { x: { a: 0.1, b: 0.4, c: 0.5 } },
    }
    const { against, days } = monitorScores(
      place,
      [
        count('2026-11-01', '', '499', 60),
        count('2026-11-01', '', '500', 40),
        count('2026-11-01', '', '', 5),
        count('2026-11-01', 'x', 'a', 30),
        count('2026-11-01', 'x', 'b', 40),
        count('2026-11-01', 'x', 'c', 30),
      ],
      expected,
    )
    expect(against).toBe('expected')
    expect(days).toEqual([
      {
        ...{
          day: '2026-11-01',
          datasets: 105,
          withoutScore: 5,
          psi: expect.closeTo(0.0405465, 6),
          mark: 'stable',
        },
        characteristics: { x: { csi: expect.closeTo(0.3218876, 6), mark: 'shifted' } },
      },
    ])
  })

  test('compares with the first 30 days without an expected distribution', () => {
    const early = (day: string) => [400, 500, 600, 700].map((score) => count(day, '', String(score), 25))
    const { against, days } = monitorScores(
      place,
      [
        ...early('2026-01-01'),
        ...early('2026-01-30'),
        count('2026-01-31', '', '400', 100), // no longer one of the first days
        count('2026-02-01', '', '400', 26),
        count('2026-02-01', '', '500', 25),
        count('2026-02-01', '', '600', 25),
        count('2026-02-01', '', '700', 24),
      ],
      undefined,
    )
    expect(against).toBe('first days')
    expect(days.map(({ day, mark }) => [day, mark])).toEqual([
      ['2026-01-01', 'stable'],
      ['2026-01-30', 'stable'],
      ['2026-01-31', 'shifted'],
      ['2026-02-01', 'stable'],
    ])
  })

  test('a day without scores has no index', () => {
    expect(monitorScores(place, [count('2026-11-01', '', '', 5)], undefined).days).toMatchObject([
      { datasets: 5, withoutScore: 5, psi: null, mark: null },
    ])
  })

  test('the gauges report yesterday, for every scorecard that scored and its three most shifted characteristics', async () => {
    const subscriptionId = await bench.openSubscription()
    const expected = {
      scores: [{ below: 500, share: 0.5 }, { share: 0.5 }],
      characteristics: { contacts: { '< 100': 0.5, '>= 100': 0.5 } },
    }
    const version = await promote(subscriptionId, { expected })
    const now = new Date('2026-11-21T12:00:00Z')
    const of = (day: string, bin: string, datasets: number, characteristic = '') => ({
      ...count(day, characteristic, bin, datasets),
      ...{ subscriptionId, version },
    })
    await addScoreCounts(bench.db, [
      of('2026-11-20', '450', 60),
      of('2026-11-20', '550', 40),
      of('2026-11-21', '450', 900),
      of('2026-10-01', '450', 900),
      of('2026-11-20', '< 100', 60, 'contacts'),
      of('2026-11-20', '>= 100', 40, 'contacts'),
      // the first days of other versions, which are their baseline
      ...['a', 'b', 'c'].flatMap((name, n) => [
        of('2026-10-02', 'low', 50, name),
        of('2026-10-15', 'high', 50, name),
        of('2026-11-05', 'low', 999, name), // no longer one of the first days
        of('2026-11-20', 'low', 70 + 10 * n, name),
        of('2026-11-20', 'high', 30 - 10 * n, name),
      ]),
    ])
    const own = (await measureStability(bench.db, now)).filter((one) => one.subscriptionId === subscriptionId)
    expect(own).toEqual([
      {
        ...{ subscriptionId, code: 'card', version, psi: expect.closeTo(0.0405465, 6) },
        characteristics: [
          { name: 'c', csi: expect.closeTo(0.4 * Math.log(9), 9) }, // (0.9 - 0.5) ln 1.8 + (0.1 - 0.5) ln 0.2
          { name: 'b', csi: expect.closeTo(0.3 * Math.log(4), 9) },
          { name: 'a', csi: expect.closeTo(0.2 * Math.log(7 / 3), 9) },
        ],
      },
    ])
    const later = new Date('2026-12-21T12:00:00Z')
    expect(
      (await measureStability(bench.db, later)).filter((one) => one.subscriptionId === subscriptionId),
    ).toEqual([])
  })

  test('a shift that several workers measure at one moment, and later again, is one event', async () => {
    const subscriptionId = await bench.openSubscription()
    await startRecording(bench.db, subscriptionId)
    const day = daysBefore(new Date(), 1)
    const measured = (code: string, mark: string) => ({
      ...{ subscriptionId, code, version: 'v1', psi: 0.3, mark, characteristics: [] },
    })
    const save = () =>
      saveStability(bench.db, day, [measured('card', 'shifted'), measured('other', 'stable')])
    await Promise.all(Array.from({ length: 8 }, save))
    await saveStability(bench.db, day, [measured('card', 'shifting')])
    await save()
    const events = await bench.db('events').where({ subscription_id: subscriptionId })
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['alert.score_drift', { code: 'card', version: 'v1', day, psi: 0.3 }],
    ])
  })

  test('the metric shows only the scorecards of the last measurement', async () => {
    const progress = openProgress({ stuckMs: 60_000, isBrokenOff: () => false })
    const metrics = openMetrics({ db: bench.db, progress })
    const measured = { subscriptionId: 7, version: 'a'.repeat(64), psi: 0.25 }
    metrics.setStability([{ ...measured, code: 'gone', characteristics: [{ name: 'gone', csi: 1 }] }])
    metrics.setStability([{ ...measured, code: 'card', characteristics: [{ name: 'age "x"', csi: 0.5 }] }])
    const lines = (await metrics.present()).split('\n').filter((line) => line.startsWith('inkling_score_'))
    const labels = 'subscription="7",code="card",version="aaaaaaaaaaaa"'
    expect(lines).toEqual([
      `inkling_score_psi{${labels}} 0.25`,
      `inkling_score_csi{${labels},characteristic="age \\"x\\""} 0.5`,
    ])
  })

  test('concurrent reads of the metrics share their queries', async () => {
    const progress = openProgress({ stuckMs: 60_000, isBrokenOff: () => false })
    const metrics = openMetrics({ db: bench.db, progress })
    let queries = 0
    const { pool } = bench.db.client
    const onAcquire = () => queries++
    pool.on('acquireSuccess', onAcquire)
    const pages = await Promise.all(Array.from({ length: 20 }, () => metrics.present()))
    pool.removeListener('acquireSuccess', onAcquire)
    expect([queries, new Set(pages).size]).toEqual([11, 1])
    expect(pages[0]).toMatch(/^inkling_datasets_waiting \d+$/m)
    expect(await metrics.present()).toMatch(/^inkling_datasets_waiting \d+$/m)
  })

  test('counts are retained for 400 days', async () => {
    const subscriptionId = await bench.openSubscription()
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    await addScoreCounts(bench.db, [
      { ...count(day(399), '', '500', 1), subscriptionId },
      { ...count(day(402), '', '500', 1), subscriptionId },
    ])
    await pruneScoreCounts(bench.db, 100)
    expect(await listed(subscriptionId)).toEqual([[day(399), '', '500', 1]])
  })
})
