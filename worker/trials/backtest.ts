import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import type { Distribution, DryRun, Histogram } from '../../db/scorecards/definition/trial-result.ts'
import type { Score } from '../scoring/compile-scorecard.ts'
import { countByCuts, markOf, quantileCuts, stabilityIndex } from '../scoring/stability.ts'

/** Bins of the comparison, each with about a tenth of the champion's scores. */
const BINS = 10

/** Most frequent reasons for a missing score that are listed. */
const MAX_REASONS = 20

/** Maximum columns of the histogram. */
const MAX_COLUMNS = 40

/** Collects the scores of a backtest and summarises them. */
export function openBacktest({ reasons }: Pick<Scorecard, 'reasons'>) {
  const candidate = openScoreCollector()
  const champion = openScoreCollector()
  const noScoreReasons = new Map<string, number>()
  const codes = new Map<string, { all: number; first: number }>()
  const segments: Record<string, number> = {}
  let captures = 0
  let otherPlatforms = 0

  return {
    skip() {
      captures++
      otherPlatforms++
    },
    add(score: Score, championScore: Score | undefined) {
      captures++
      if (championScore) champion.add(championScore)
      candidate.add(score)
      if (score.value === null) {
        noScoreReasons.set(score.reason, (noScoreReasons.get(score.reason) ?? 0) + 1)
        return
      }
      if (score.segment !== null) segments[score.segment] = (segments[score.segment] ?? 0) + 1
      for (const [index, code] of score.reasons.entries()) {
        const counted = codes.get(code) ?? { all: 0, first: 0 }
        codes.set(code, { all: counted.all + 1, first: counted.first + (index === 0 ? 1 : 0) })
      }
    },
    summarize(): DryRun {
      const scored = candidate.values.length
      const evaluated = captures - otherPlatforms
      return {
        ...{ captures, otherPlatforms },
        candidate: candidate.summarize(),
        champion: champion.summarize(),
        withoutScore: {
          count: evaluated - scored,
          share: evaluated === 0 ? 0 : (evaluated - scored) / evaluated,
          why: [...noScoreReasons]
            .sort(([, a], [, b]) => b - a)
            .slice(0, MAX_REASONS)
            .map(([reason, count]) => ({ reason, count })),
        },
        shift: compare(champion.values, candidate.values),
        histogram: buildHistogram(champion.values, candidate.values),
        reasons: [...codes]
          .sort(([, a], [, b]) => b.all - a.all)
          .map(([code, { all, first }]) => ({
            code,
            text: reasons.texts[code]?.[reasons.language] ?? null,
            share: all / scored,
            shareFirst: first / scored,
          })),
        segments,
      }
    },
  }
}

function openScoreCollector() {
  const values: number[] = []
  const probabilities: number[] = []
  return {
    values: values as readonly number[],
    add(score: Score) {
      if (score.value === null) return
      values.push(score.value)
      if (score.probability !== null) probabilities.push(score.probability)
    },
    summarize(): Distribution | null {
      if (values.length === 0) return null
      const sorted = values.toSorted((a, b) => a - b)
      const mean = meanOf(values)
      return {
        scored: values.length,
        mean,
        deviation: Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2))),
        min: sorted[0] as number,
        max: sorted.at(-1) as number,
        deciles: Array.from(
          { length: 9 },
          (_, n) => sorted[Math.floor(((n + 1) * sorted.length) / 10)] as number,
        ),
        meanProbability: probabilities.length === 0 ? null : meanOf(probabilities),
      }
    },
  }
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

function compare(champion: readonly number[], candidate: readonly number[]): DryRun['shift'] {
  if (champion.length === 0 || candidate.length === 0) return null
  const cuts = quantileCuts(champion, BINS)
  const [before, now] = [countByCuts(champion, cuts), countByCuts(candidate, cuts)]
  const psi = stabilityIndex(before, now)
  return {
    psi,
    mark: markOf(psi),
    bins: before.map((count, bin) => ({
      below: cuts[bin] ?? null,
      champion: count / champion.length,
      candidate: (now[bin] ?? 0) / candidate.length,
    })),
  }
}

/** Columns span whole numbers of points, so that all have the same number of possible scores. */
function buildHistogram(champion: readonly number[], candidate: readonly number[]): Histogram | null {
  const all = [...candidate, ...champion]
  if (all.length === 0) return null
  const from = all.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY)
  const to = all.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY)
  const width = Math.max(1, Math.ceil((to - from + 1) / MAX_COLUMNS))
  const columns = Math.ceil((to - from + 1) / width)
  const sharesOf = (scores: readonly number[]) => {
    const counts = new Array<number>(columns).fill(0)
    for (const score of scores) {
      const at = Math.floor((score - from) / width)
      counts[at] = (counts[at] ?? 0) + 1
    }
    return counts.map((count) => (scores.length === 0 ? 0 : count / scores.length))
  }
  return {
    from,
    width,
    candidate: sharesOf(candidate),
    champion: champion.length === 0 ? null : sharesOf(champion),
  }
}
