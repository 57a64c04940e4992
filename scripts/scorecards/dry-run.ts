import type { Scorecard } from '../../db/scorecard/definition.ts'
import type { Score } from '../../worker/scoring/compile-scorecard.ts'
import {
  countByCuts,
  markOf,
  quantileCuts,
  type StabilityMark,
  stabilityIndex,
} from '../../worker/scoring/stability.ts'

/** Bins of the comparison: about a tenth of the champion's scores each. */
const BINS = 10

/** Reasons for no score that are listed, the most frequent ones. */
const MAX_REASONS = 20

/** What scores look like together. */
export interface Distribution {
  readonly scored: number
  readonly mean: number
  readonly deviation: number
  readonly min: number
  readonly max: number
  /** Nine scores, below which lie a tenth, two tenths, … of all. */
  readonly deciles: readonly number[]
  readonly meanProbability: number | null
}

/** How often each reason is given, first to last place together, of those that have a score. */
interface ReasonFrequency {
  readonly code: string
  readonly text: string | null
  readonly share: number
  /** Of those whose most important reason it is. */
  readonly shareFirst: number
}

/** What a scorecard would have said of stored captures. */
export interface DryRun {
  readonly captures: number
  /** Of platforms that it is not for. */
  readonly otherPlatforms: number
  readonly candidate: Distribution | null
  readonly champion: Distribution | null
  readonly withoutScore: {
    readonly count: number
    readonly share: number
    readonly why: readonly { readonly reason: string; readonly count: number }[]
  }
  /** Against the champion on the same captures; null without a champion or scores. */
  readonly shift: {
    readonly psi: number
    readonly mark: StabilityMark
    readonly bins: readonly {
      readonly below: number | null
      readonly champion: number
      readonly candidate: number
    }[]
  } | null
  readonly reasons: readonly ReasonFrequency[]
  readonly segments: Readonly<Record<string, number>>
}

/** Gathers scores one after the other, and sums them up. */
export function openDryRun({ reasons }: Pick<Scorecard, 'reasons'>) {
  const candidate = openGathering()
  const champion = openGathering()
  const why = new Map<string, number>()
  const codes = new Map<string, { all: number; first: number }>()
  const segments: Record<string, number> = {}
  let captures = 0
  let otherPlatforms = 0

  return {
    skip() {
      captures++
      otherPlatforms++
    },
    add(score: Score, ofChampion: Score | undefined) {
      captures++
      if (ofChampion) champion.add(ofChampion)
      candidate.add(score)
      if (score.value === null) {
        why.set(score.reason, (why.get(score.reason) ?? 0) + 1)
        return
      }
      if (score.segment !== null) segments[score.segment] = (segments[score.segment] ?? 0) + 1
      for (const [place, code] of score.reasons.entries()) {
        const counted = codes.get(code) ?? { all: 0, first: 0 }
        codes.set(code, { all: counted.all + 1, first: counted.first + (place === 0 ? 1 : 0) })
      }
    },
    /** The scores themselves, for a picture. */
    values: { candidate: candidate.values, champion: champion.values },
    sumUp(): DryRun {
      const scored = candidate.values.length
      const tried = captures - otherPlatforms
      return {
        ...{ captures, otherPlatforms },
        candidate: candidate.sumUp(),
        champion: champion.sumUp(),
        withoutScore: {
          count: tried - scored,
          share: tried === 0 ? 0 : (tried - scored) / tried,
          why: [...why]
            .sort(([, a], [, b]) => b - a)
            .slice(0, MAX_REASONS)
            .map(([reason, count]) => ({ reason, count })),
        },
        shift: compare(champion.values, candidate.values),
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

function openGathering() {
  const values: number[] = []
  const probabilities: number[] = []
  return {
    values: values as readonly number[],
    add(score: Score) {
      if (score.value === null) return
      values.push(score.value)
      if (score.probability !== null) probabilities.push(score.probability)
    },
    sumUp(): Distribution | null {
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
