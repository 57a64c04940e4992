import { afterAll, beforeAll, expect, test } from 'vitest'
import { queryRows } from '../../../db/postgres/database.ts'
import { saveDefinition } from '../../../db/scorecards/scorecards.ts'
import { makeTreesCard } from '../../../scripts/benchmark/scoring/trees-card.ts'
import { openWorkbench, type Workbench } from '../../support/workbench.ts'

let bench: Workbench

beforeAll(async () => {
  bench = await openWorkbench()
})
afterAll(() => bench.close())

test('a large definition is stored compressed', async () => {
  const card = makeTreesCard()
  const subscriptionId = await bench.openSubscription()
  const version = await saveDefinition(bench.db, subscriptionId, card)
  const [stored] = await queryRows<{ bytes: number; method: string }>(
    bench.db,
    `select pg_column_size(definition) as bytes, pg_column_compression(definition) as method
     from scorecard_versions where subscription_id = ? and version = ?`,
    [subscriptionId, version],
  )
  expect(stored?.method).toMatch(/^(pglz|lz4)$/)
  expect(stored?.bytes).toBeLessThan(JSON.stringify(card).length)
})
