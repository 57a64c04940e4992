import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveAdditionalInfo } from '../../../db/datasets/additional-info.ts'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import { promoteScorecard, retireScorecard } from '../../../db/scorecards/scorecard-stages.ts'
import { saveDefinition } from '../../../db/scorecards/scorecards.ts'
import { anActor } from '../../support/actors.ts'
import { aCapture } from '../../support/captures.ts'
import { aScorecard } from '../../support/scorecards.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

/** Scores a known client 1 more than an unknown one. */
async function promote(subscriptionId: number, basePoints: number, code = 'card'): Promise<string> {
  const version = await saveDefinition(
    bench.db,
    subscriptionId,
    aScorecard({
      inputs: [{ name: 'known', feature: 'info_client_known', type: 'boolean' }],
      model: {
        ...{ kind: 'points', basePoints },
        characteristics: [
          {
            ...{ name: 'known', input: 'known' },
            attributes: [
              { in: [true], points: 1 },
              { in: [false], missing: true, points: 0 },
            ],
          },
        ],
      },
    }),
  )
  await bench.db.transaction((trx) => promoteScorecard(trx, { subscriptionId, code, version }))
  return version
}

async function scoresOf(key: DatasetKey): Promise<unknown> {
  const insight = await bench.findInsight(key)
  return ((insight?.scores ?? []) as { code: string; value: number }[]).map(({ code, value }) => [
    code,
    value,
  ])
}

test('new info is scored by the version that scored the dataset, whatever is champion by now', async () => {
  const subscriptionId = await bench.openSubscription()
  const first = await promote(subscriptionId, 100)
  const keys = await bench.receive({ subscriptionId }, { subscriptionId })
  const [old, reprocessed] = keys as [DatasetKey, DatasetKey]
  await bench.process(keys)
  expect(await scoresOf(old)).toEqual([['card', 100]])

  await promote(subscriptionId, 200)
  await promote(subscriptionId, 300, 'another')
  const { referenceNumber } = await bench.find(old)
  await saveAdditionalInfo(bench.db, subscriptionId, referenceNumber, { clientId: 'c' }, anActor('test'))
  await bench
    .db('datasets')
    .where({ subscription_id: subscriptionId, id: reprocessed.id })
    .update({ ring_at: new Date() })
  const [fresh] = (await bench.receive({ subscriptionId })) as [DatasetKey]
  await bench.process([...keys, fresh])

  // the code that is new since then is scored too
  expect(await scoresOf(old)).toEqual([
    ['another', 301],
    ['card', 101],
  ])
  expect(await scoresOf(reprocessed)).toEqual([
    ['another', 300],
    ['card', 100],
  ])
  expect(await scoresOf(fresh)).toEqual([
    ['another', 300],
    ['card', 200],
  ])
  expect((await bench.findInsight(old))?.explanations).toMatchObject([
    { code: 'another' },
    { code: 'card', version: first },
  ])

  await bench.db.transaction((trx) => retireScorecard(trx, { subscriptionId, code: 'card', version: first }))
  await bench
    .db('datasets')
    .where({ subscription_id: subscriptionId, id: old.id })
    .update({ ring_at: new Date() })
  await bench.process([old])
  expect(await scoresOf(old)).toEqual([
    ['another', 301],
    ['card', 101],
  ])
})

test('two versions never mix in one batch, however often they change meanwhile', async () => {
  const subscriptionId = await bench.openSubscription()
  await promote(subscriptionId, 0)
  let changing = true
  const changes = (async () => {
    for (let n = 1; changing; n++) await promote(subscriptionId, (n % 5) * 100)
  })()
  const seen = new Set<number>()
  const batches = await Promise.all(
    Array.from({ length: 20 }, () =>
      bench.receive(...Array.from({ length: 16 }, () => ({ subscriptionId, capture: aCapture() }))),
    ),
  )
  for (const keys of batches) {
    await bench.process(keys)
    const values = await Promise.all(keys.map((key) => scoresOf(key)))
    const distinct = new Set(values.map((value) => JSON.stringify(value)))
    expect(distinct.size).toBe(1)
    seen.add(Number(JSON.stringify(values[0]).match(/\d+/)?.[0]))
  }
  changing = false
  await changes
  expect(seen.size).toBeGreaterThan(1) // the champion did change between batches
})
