import { compileScorecard } from '../../worker/scoring/compile-scorecard.ts'
import type { Samples } from './samples.ts'
import { scoreNaively } from './scoring/naive-points.ts'
import { dumpTrees, walkNaively } from './scoring/naive-trees.ts'
import { makePointsCard, makeRows } from './scoring/points-card.ts'
import { makeRegressionCard } from './scoring/regression-card.ts'
import { makeTreesCard } from './scoring/trees-card.ts'

/** Duration per contender and round, and the number of rounds. */
export interface ScorePlan {
  readonly ms: number
  readonly rounds: number
}

const ROWS = 2_000

/** Measures scoring alone in this thread, without stores or requests. Each row gets a score, reasons and an explanation. */
export function measureScore(
  { ms, rounds }: ScorePlan,
  samples: Samples,
  printProgress: (text: string) => void,
): void {
  const card = makePointsCard()
  const rows = makeRows(card, ROWS, 'score')
  const compiled = compileScorecard(card)
  const grown = makeTreesCard()
  const grownRows = makeRows(grown, ROWS, 'score')
  const compiledTrees = compileScorecard(grown)
  const dumped = dumpTrees(grown)
  const regression = makeRegressionCard()
  const regressionRows = makeRows(regression, ROWS, 'score')
  const compiledRegression = compileScorecard(regression)
  const contenders: Record<string, () => void> = {
    'score points inkling': () => {
      for (const row of rows) compiled.score(row, 'android')
    },
    'score points textbook': () => {
      for (const row of rows) scoreNaively(card, row)
    },
    'score trees inkling': () => {
      for (const row of grownRows) compiledTrees.score(row, 'android')
    },
    'score regression inkling': () => {
      for (const row of regressionRows) compiledRegression.score(row, 'android')
    },
    'score trees textbook': () => {
      for (const row of grownRows) walkNaively(dumped, 0.5, row)
    },
  }
  for (const work of Object.values(contenders)) measureRows(work, ms) // warm up
  for (let round = 0; round < rounds; round++)
    for (const [name, work] of Object.entries(contenders)) {
      const perSecond = measureRows(work, ms)
      samples.add(`${name}: perSecond`, perSecond)
      printProgress(`${name}: ${Math.round(perSecond)}/s`)
    }
}

/**
 * Returns the rows per second and core of work that takes all rows once. Based on processor time, including garbage
 * collection, because the machine may be busy with other things.
 */
function measureRows(work: () => void, ms: number): number {
  const before = process.cpuUsage()
  let times = 0
  let seconds = 0
  while (seconds * 1_000 < ms) {
    work()
    times++
    const { user, system } = process.cpuUsage(before)
    seconds = (user + system) / 1e6
  }
  return (times * ROWS) / seconds
}
