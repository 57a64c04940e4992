import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Scorecard } from '../../../db/scorecards/definition/definition.ts'
import { costOfPmml } from '../../../db/scorecards/definition/pmml-cost.ts'
import { MAX_ROW_STEPS } from '../../../db/scorecards/definition/row-cost.ts'
import { compilePmml } from '../../../worker/scoring/pmml/compile-pmml.ts'
import { openScoringThread, ScoringError } from '../../../worker/trials/open-scoring-thread.ts'
import {
  callsWithinCalls,
  manyCalls,
  manyMatches,
  storedBeforeLimits,
} from '../../support/expensive-models.ts'
import { drawBy } from './reference-evaluator/draw.ts'
import { aModel } from './reference-evaluator/random-models.ts'
import { aRow } from './reference-evaluator/random-rows.ts'

/** A step is 10 ns; machines that run tests are slower and busy, and a single row is measured with the clock's noise. */
const NS_OF_A_STEP = 200
const NOISE_NS = 5_000_000

test('a row of a random definition takes no longer than its cost', { timeout: 60_000 }, () => {
  const property = fc.property(fc.gen(), (generate) => {
    const draw = drawBy(generate)
    const { definition, inputs } = aModel(draw)
    const { steps } = costOfPmml(definition, [])
    fc.pre(steps <= MAX_ROW_STEPS)
    const model = compilePmml(definition)
    const row = aRow(draw, inputs)
    let least = Number.POSITIVE_INFINITY
    for (let time = 0; time < 5; time++) {
      const before = process.threadCpuUsage()
      model.evaluate(row)
      const { user, system } = process.threadCpuUsage(before)
      least = Math.min(least, (user + system) * 1_000)
    }
    expect(least).toBeLessThan(NOISE_NS + steps * NS_OF_A_STEP)
  })
  fc.assert(property, { numRuns: 100, interruptAfterTimeLimit: 30_000 })
})

test.each([
  ['regular expressions', manyMatches()],
  ['calls', manyCalls()],
  ['calls within calls', callsWithinCalls()],
])('a definition of too many %s is rejected with the cost of a row and its place', (_, definition) => {
  const startedAt = performance.now()
  const { error } = Scorecard.safeParse(definition)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
  expect(error?.issues).toMatchObject([
    {
      path: ['model', 'derived', 0],
      message: expect.stringMatching(
        /would take up to [\d,]+ steps of 10 ns, mostly here; at most 2,000,000/,
      ),
    },
  ])
})

test('a thread that scores ends at its deadline or its memory, with the reason', {
  timeout: 60_000,
}, async () => {
  const rows = Array.from({ length: 100 }, (_, id) => ({
    ...{ id, platform: 'android' as const },
    features: JSON.stringify({ contacts_count: 5 }),
  }))
  const stored = storedBeforeLimits()
  const score = async () => {
    await using slow = await openScoringThread(stored, undefined, { deadlineMs: 4_000, heapMb: 256 })
    await slow.score(rows)
  }
  await expect(score()).rejects.toThrow(
    'The definition takes too long: scoring 100 captures took more than 4 s',
  )
  const deadlineMs = 30_000
  await expect(openScoringThread(stored, undefined, { deadlineMs, heapMb: 8 })).rejects.toThrow(ScoringError)
})
