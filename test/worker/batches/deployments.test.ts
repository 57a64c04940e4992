import { afterAll, beforeAll, expect, test } from 'vitest'
import { promoteScorecard } from '../../../db/scorecards/scorecard-stages.ts'
import { saveDefinition } from '../../../db/scorecards/scorecards.ts'
import { openDeployments } from '../../../worker/batches/deployments.ts'
import { aScorecard } from '../../support/scorecards.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

/** @param weight of the definition, in characters. */
async function promote(subscriptionId: number, weight: number): Promise<void> {
  const texts = Object.fromEntries(
    Array.from({ length: Math.ceil(weight / 1_000) }, (_, n) => [
      `R${n}`,
      { en: `${n}`.padStart(1_000, 'x') },
    ]),
  )
  const version = await saveDefinition(bench.db, subscriptionId, aScorecard({ reasons: { texts } }))
  await bench.db.transaction((trx) => promoteScorecard(trx, { subscriptionId, code: 'card', version }))
}

test('compiled scorecards are cached up to a total size, and score however small the cache is', async () => {
  const [small, other, big] = (await Promise.all(
    Array.from({ length: 3 }, () => bench.openSubscription()),
  )) as [number, number, number]
  await promote(small, 20_000)
  await promote(other, 20_001)
  await promote(big, 90_000)
  const deployments = openDeployments(bench.db, undefined, 100_000)
  const open = async (subscriptionId: number) => {
    const [ready] = (await deployments.find([subscriptionId])).get(subscriptionId)?.scorecards ?? []
    expect(ready?.scorecard.score({ contacts_count: 5 }, 'ios').value).toBe(580)
    return ready?.scorecard
  }
  const [one, two] = [await open(small), await open(other)]
  expect([await open(small), await open(other)]).toEqual([one, two])
  expect(await open(small)).toBe(one)
  const third = await open(big) // has no room beside them
  expect(await open(big)).toBe(third)
  expect(await open(small)).not.toBe(one)
  // one that is larger than the cache is cached alone
  const narrow = openDeployments(bench.db, undefined, 10)
  const again = async () => (await narrow.find([big])).get(big)?.scorecards[0]?.scorecard
  expect(await again()).toBe(await again())
})
