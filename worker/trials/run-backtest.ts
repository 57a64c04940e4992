import { listScoredFeatures } from '../../db/datasets/insights.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import type { DryRun, TrialResult, VerifiedRows } from '../../db/scorecards/definition/trial-result.ts'
import { listDefinitions, listScoringVersions } from '../../db/scorecards/scorecards.ts'
import { openScoringThread, type ScoringThread } from './open-scoring-thread.ts'

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
  /** Awaited before each step; an error ends the backtest. */
  readonly yieldToBatches?: () => Promise<void> | undefined
  /** Called after each page. */
  readonly onProgress?: (scored: number) => Promise<void> | void
}

/**
 * Scores the newest captures with a scorecard, from their stored features, in a thread: nothing is decoded, counted or changed.
 *
 * @throws ScoringError if the definition takes too long or too much memory.
 */
export async function runBacktest(
  db: Db,
  request: BacktestRequest,
  hooks: BacktestHooks = {},
): Promise<DryRun> {
  await using thread = await openThread(db, request)
  return await backtest(db, thread, request, hooks) // otherwise the thread would end first
}

/** As `runBacktest`, after the verification of the definition's own rows. */
export async function runVerifiedBacktest(
  db: Db,
  request: BacktestRequest,
  hooks: BacktestHooks,
): Promise<TrialResult> {
  await using thread = await openThread(db, request)
  const verification: VerifiedRows = await thread.verify(hooks.yieldToBatches)
  return { verification, dryRun: await backtest(db, thread, request, hooks) }
}

const openThread = async (db: Db, { subscriptionId, code, definition }: BacktestRequest) =>
  openScoringThread(definition, await findChampion(db, subscriptionId, code))

async function backtest(
  db: Db,
  thread: ScoringThread,
  { subscriptionId, last }: BacktestRequest,
  { yieldToBatches, onProgress }: BacktestHooks,
): Promise<DryRun> {
  let scored = 0
  for (let beforeId = Number.MAX_SAFE_INTEGER; scored < last; ) {
    const limit = Math.min(PAGE_ROWS, last - scored)
    const rows = await listScoredFeatures(db, subscriptionId, { beforeId, limit })
    await thread.score(rows, yieldToBatches)
    scored += rows.length
    await onProgress?.(scored)
    beforeId = rows.at(-1)?.id ?? 0
    if (rows.length < limit) break
  }
  return thread.summarize()
}

/** The champion of a code; none while it is suspended. */
async function findChampion(db: Db, subscriptionId: number, code: string): Promise<Scorecard | undefined> {
  const champion = (await listScoringVersions(db, [subscriptionId])).find(
    ({ code: of, stage, suspended }) => of === code && stage === 'champion' && !suspended,
  )
  const [found] = champion ? await listDefinitions(db, [champion]) : []
  return found?.definition
}
