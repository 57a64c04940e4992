import type { ScoreCount } from '../../db/monitoring/score-counts.ts'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import {
  countByCuts,
  markOf,
  quantileCuts,
  type StabilityMark,
  stabilityIndex,
} from '../scoring/stability.ts'

/** Days that serve as the baseline of a version without expected distributions. */
export const FIRST_DAYS = 30

/** Score bins for scorecards without expected ones. */
const BINS = 10

/** The scores of one day compared with the expected distribution. */
export interface MonitoredDay {
  readonly day: string
  readonly datasets: number
  readonly withoutScore: number
  /** Population stability index of the scores; null without data to compare. */
  readonly psi: number | null
  readonly mark: StabilityMark | null
  /** Characteristic stability index by name of the characteristic. */
  readonly characteristics: Readonly<Record<string, { readonly csi: number; readonly mark: StabilityMark }>>
}

export interface MonitoredScorecard {
  readonly code: string
  readonly version: string
  /** Baseline of the comparison. */
  readonly against: 'expected' | 'first days'
  readonly days: readonly MonitoredDay[]
}

type Expected = Scorecard['expected']

/**
 * Compares each day of one version under one code with the distribution that its definition expects, or with its first
 * days.
 *
 * @param counts ordered by day.
 */
export function monitorScores(
  { code, version }: { code: string; version: string },
  counts: readonly ScoreCount[],
  expected: Expected,
): MonitoredScorecard {
  const byDay = Map.groupBy(counts, ({ day }) => day)
  const first = filterFirstDays(counts)
  const firstBins = Map.groupBy(first, ({ characteristic }) => characteristic)
  const expectedBins = new Map(
    Object.entries(expected?.characteristics ?? {}).map(([name, shares]) => [
      name,
      new Map(Object.entries(shares)),
    ]),
  )
  const compareScores = scoreComparison(first, expected)
  const days = [...byDay]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, ofDay]): MonitoredDay => {
      const scores = ofDay.filter(({ characteristic }) => characteristic === '')
      const withoutScore = sum(scores.filter(({ bin }) => bin === ''))
      const index = compareScores(scores)
      const characteristics = Map.groupBy(
        ofDay.filter(({ characteristic }) => characteristic !== ''),
        ({ characteristic }) => characteristic,
      )
      return {
        ...{ day, datasets: sum(scores), withoutScore },
        ...(index === null ? { psi: null, mark: null } : { psi: index, mark: markOf(index) }),
        characteristics: Object.fromEntries(
          [...characteristics].flatMap(([name, bins]) => {
            const csi = compareBins(expectedBins.get(name) ?? countByBin(firstBins.get(name) ?? []), bins)
            return csi === null ? [] : [[name, { csi, mark: markOf(csi) }]]
          }),
        ),
      }
    })
  return { code, version, against: expected?.scores ? 'expected' : 'first days', days }
}

function filterFirstDays(counts: readonly ScoreCount[]): ScoreCount[] {
  const [least] = counts.map(({ day }) => day).sort()
  if (least === undefined) return []
  const until = new Date(Date.parse(least) + FIRST_DAYS * 86_400_000).toISOString().slice(0, 10)
  return counts.filter(({ day }) => day < until)
}

const sum = (counts: readonly ScoreCount[]) => counts.reduce((total, { datasets }) => total + datasets, 0)

const scoresOf = (counts: readonly ScoreCount[]) =>
  counts
    .filter(({ characteristic, bin }) => characteristic === '' && bin !== '')
    .map(({ bin, datasets }) => [Number(bin), datasets] as const)

function scoreComparison(
  first: readonly ScoreCount[],
  expected: Expected,
): (of: readonly ScoreCount[]) => number | null {
  if (expected?.scores) {
    const cuts = expected.scores.flatMap(({ below }) => (below === undefined ? [] : [below]))
    const shares = expected.scores.map(({ share }) => share)
    return (of) => indexOrNull(shares, countByCuts(scoresOf(of), cuts))
  }
  const cuts = quantileCuts(expand(scoresOf(first)), BINS)
  const before = countByCuts(scoresOf(first), cuts)
  return (of) => indexOrNull(before, countByCuts(scoresOf(of), cuts))
}

/** Expands counts to at most a few thousand values in the same proportions, for quantiles. */
function expand(scores: readonly (readonly [number, number])[]): number[] {
  const total = scores.reduce((all, [, count]) => all + count, 0)
  const each = Math.max(1, total / 10_000)
  return scores.flatMap(([score, count]) => new Array<number>(Math.ceil(count / each)).fill(score))
}

function countByBin(counts: readonly ScoreCount[]): Map<string, number> {
  const byBin = new Map<string, number>()
  for (const { bin, datasets } of counts) byBin.set(bin, (byBin.get(bin) ?? 0) + datasets)
  return byBin
}

function compareBins(expected: ReadonlyMap<string, number>, counts: readonly ScoreCount[]): number | null {
  const now = countByBin(counts)
  const bins = [...new Set([...expected.keys(), ...now.keys()])]
  return indexOrNull(
    bins.map((bin) => expected.get(bin) ?? 0),
    bins.map((bin) => now.get(bin) ?? 0),
  )
}

function indexOrNull(expected: readonly number[], actual: readonly number[]): number | null {
  const index = stabilityIndex(expected, actual)
  return Number.isFinite(index) ? index : null
}
