import { listScoredFeatures } from '../../db/datasets/insights.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import type { DryRun } from '../../db/scorecards/definition/trial-result.ts'
import { listDefinitions, listScoringVersions } from '../../db/scorecards/scorecards.ts'
import { compileScorecard } from '../scoring/compile-scorecard.ts'
import { openBacktest } from './backtest.ts'

/** Captures per statement. */
const PAGE_ROWS = 500

/** A scorecard and the captures to backtest it on. */
export interface BacktestRequest {
  readonly subscriptionId: number
  /** The code whose champion scores the same captures for comparison. */
  readonly code: string
  readonly definition: Scorecard
  /** Maximum number of captures, newest first. */
  readonly last: number
}

/** Hooks that let a backtest yield to other work and report its progress. */
export interface BacktestHooks {
  /** Awaited before each capture; an error ends the backtest. */
  readonly yieldToBatches?: () => Promise<void> | undefined
  /** Called after each page. */
  readonly onProgress?: (scored: number) => Promise<void> | void
}

/** Scores the newest captures with a scorecard, from their stored features: nothing is decoded, counted or changed. */
export async function runBacktest(
  db: Db,
  { subscriptionId, code, definition, last }: BacktestRequest,
  { yieldToBatches, onProgress }: BacktestHooks = {},
): Promise<DryRun> {
  const candidate = compileScorecard(definition)
  const champion = await findChampion(db, subscriptionId, code)
  const run = openBacktest(definition)
  let scored = 0
  for (let beforeId = Number.MAX_SAFE_INTEGER; scored < last; ) {
    const limit = Math.min(PAGE_ROWS, last - scored)
    const rows = await listScoredFeatures(db, subscriptionId, { beforeId, limit })
    for (const { platform, features: json } of rows) {
      await yieldToBatches?.()
      if (!definition.platforms.includes(platform)) {
        run.skip()
        continue
      }
      const features = JSON.parse(json) // written by the worker
      run.add(candidate.score(features, platform), champion?.score(features, platform))
    }
    scored += rows.length
    await onProgress?.(scored)
    beforeId = rows.at(-1)?.id ?? 0
    if (rows.length < limit) break
  }
  return run.summarize()
}

async function findChampion(db: Db, subscriptionId: number, code: string) {
  const champion = (await listScoringVersions(db, [subscriptionId])).find(
    (scoring) => scoring.code === code && scoring.stage === 'champion',
  )
  const [found] = champion ? await listDefinitions(db, [champion]) : []
  return found && compileScorecard(found.definition)
}
