import { MODEL_SUSPENDED } from '../../db/scorecards/suspensions.ts'
import type { CompiledScorecard, Score } from '../scoring/compile-scorecard.ts'

/** Time that a row may take; a definition that is accepted takes at most 20 ms. */
const ROW_BUDGET_MS = 50

/** A row that took so long is not computed again to be sure. */
const CERTAIN_MS = 2_000

/** Further measurements of a row, the least of which counts: the first one may include a collection of garbage or another process. */
const MEASUREMENTS = 2

/** A scorecard that stops scoring once a row has exceeded the budget. */
export interface WatchedScorecard extends CompiledScorecard {
  /** Lets it score again, once its suspension is stored: from then on the stored state decides. */
  release(): void
}

const SUSPENDED: Score = { value: null, probability: null, reason: MODEL_SUSPENDED }

/** Scores of a version that is suspended. */
export const SUSPENDED_SCORECARD: CompiledScorecard = { score: () => SUSPENDED, scoreRow: () => SUSPENDED }

/**
 * Measures each row of a scorecard, at the cost of reading the clock twice.
 *
 * @param onSlow is called once for a row over the budget, whose score is still returned.
 */
export function watchScorecard(
  { score, scoreRow }: CompiledScorecard,
  onSlow: (milliseconds: number) => void,
  budgetMs = ROW_BUDGET_MS,
): WatchedScorecard {
  let isOver = false
  return {
    scoreRow,
    score(features, platform) {
      if (isOver) return SUSPENDED
      const startedAt = performance.now()
      const result = score(features, platform)
      const tookMs = performance.now() - startedAt
      if (tookMs > budgetMs) {
        const surelyMs = tookMs > CERTAIN_MS ? tookMs : measure(() => score(features, platform), MEASUREMENTS)
        if (surelyMs > budgetMs) {
          isOver = true
          onSlow(surelyMs)
        }
      }
      return result
    },
    release() {
      isOver = false
    },
  }
}

/** Returns the least processor time of this thread, in milliseconds. */
function measure(work: () => unknown, times: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let time = 0; time < times; time++) {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}
