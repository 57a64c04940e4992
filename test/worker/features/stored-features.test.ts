import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveAdditionalInfo } from '../../../db/datasets/additional-info.ts'
import type { DatasetKey } from '../../../db/datasets/dataset-key.ts'
import { requeueDatasets } from '../../../db/datasets/requeue-datasets.ts'
import { deployFragment } from '../../../db/scorecards/fragments.ts'
import { generateCaptures } from '../../../scripts/captures/generate-captures.ts'
import { deployDemoScorecards } from '../../../scripts/scorecards/deploy-scorecard.ts'
import { anActor } from '../../support/actors.ts'
import { gzipJson, openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
  await deployDemoScorecards(bench.db, bench.subscriptionId)
  await deployFragment(bench.db, bench.subscriptionId, 'windows', 'velocity_windows')
})
afterAll(() => bench.close())

const listInsights = async (keys: readonly DatasetKey[]) =>
  Promise.all(
    keys.map(async (key) => {
      const insight = await bench.findInsight(key)
      if (!insight) throw new Error('there is no insight')
      return { ...insight, calculatedAt: undefined }
    }),
  )

test('info saved after retention has removed the capture gives the same insight as with the capture', async () => {
  const captures = [...generateCaptures({ seed: 'kept', count: 30, size: 'small' })].map(
    ({ capture }) => capture,
  )
  const keys = await bench.receive(...captures.map((capture) => ({ capture })))
  await bench.process(keys)
  const without = await listInsights(keys)

  await bench.db.raw('update datasets set blob = null')
  for (const key of keys)
    await saveAdditionalInfo(
      bench.db,
      key.subscriptionId,
      (await bench.find(key)).referenceNumber,
      { clientId: `C-${key.id % 7}` },
      anActor('backend'),
    )
  await bench.process(keys)
  const ends = await bench.list(keys)
  expect(ends.map(({ status, waiting }) => [status, waiting])).toEqual(keys.map(() => ['ready', false]))
  const restored = await listInsights(keys)
  for (const [n, insight] of restored.entries()) expect(insight).not.toEqual(without[n])

  for (const [n, key] of keys.entries())
    await bench.db.raw('update datasets set blob = ? where id = ?', [gzipJson(captures[n]), key.id])
  await requeueDatasets(bench.db, keys, anActor('me'))
  await bench.process(keys)
  expect(await listInsights(keys)).toEqual(restored)
})
