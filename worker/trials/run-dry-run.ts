import { listScoredFeatures } from '../../db/datasets/insights.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import type { DryRun } from '../../db/scorecards/definition/trial-result.ts'
import { listDefinitions, listScoringVersions } from '../../db/scorecards/scorecards.ts'
import { compileScorecard } from '../scoring/compile-scorecard.ts'
import { openDryRun } from './dry-run.ts'

/** Captures read by one statement. */
const PAGE_ROWS = 500

/** What is tried, and on what. */
export interface DryRunOrder {
  readonly subscriptionId: number
  /** Whose champion scores the same captures beside it. */
  readonly code: string
  readonly definition: Scorecard
  /** Captures at most, the newest ones. */
  readonly last: number
}

/** How a dry run goes along with what else there is to do. */
export interface DryRunPace {
  /** Waited for before each capture; what it throws ends the dry run. */
  readonly turn?: () => Promise<void> | undefined
  /** Told after each page. */
  readonly onProgress?: (scored: number) => Promise<void> | void
}

/** Scores the last stored captures by a scorecard, on what they were scored on: nothing is decoded, counted or changed. */
export async function runDryRun(
  db: Db,
  { subscriptionId, code, definition, last }: DryRunOrder,
  { turn, onProgress }: DryRunPace = {},
): Promise<DryRun> {
  const candidate = compileScorecard(definition)
  const champion = await findChampion(db, subscriptionId, code)
  const run = openDryRun(definition)
  let scored = 0
  for (let beforeId = Number.MAX_SAFE_INTEGER; scored < last; ) {
    const limit = Math.min(PAGE_ROWS, last - scored)
    const rows = await listScoredFeatures(db, subscriptionId, { beforeId, limit })
    for (const { platform, features: json } of rows) {
      await turn?.()
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
  return run.sumUp()
}

async function findChampion(db: Db, subscriptionId: number, code: string) {
  const champion = (await listScoringVersions(db, [subscriptionId])).find(
    (scoring) => scoring.code === code && scoring.stage === 'champion',
  )
  const [found] = champion ? await listDefinitions(db, [champion]) : []
  return found && compileScorecard(found.definition)
}
