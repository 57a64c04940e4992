/** What a stability index means, by the marks that the field uses: below 0.10, below 0.25, and from there. */
export type StabilityMark = 'stable' | 'shifting' | 'shifted'

/** A share of none would make the index infinite: empty bins count as so much. */
const LEAST_SHARE = 0.0001

/**
 * How far a distribution has shifted: Σ (actual − expected) × ln(actual ÷ expected). Of scores it is called PSI, of a
 * characteristic CSI.
 *
 * @param expected counts or shares by bin.
 * @param actual the same bins.
 * @returns NaN where one of them holds nothing.
 * @see Siddiqi, Credit Risk Scorecards (2006), chapter 9, population stability
 */
export function stabilityIndex(expected: readonly number[], actual: readonly number[]): number {
  const [before, now] = [sharesOf(expected), sharesOf(actual)]
  return before.reduce((sum, share, bin) => {
    const [e, a] = [Math.max(share, LEAST_SHARE), Math.max(now[bin] ?? 0, LEAST_SHARE)]
    return sum + (a - e) * Math.log(a / e)
  }, 0)
}

export const markOf = (index: number): StabilityMark =>
  index < 0.1 ? 'stable' : index < 0.25 ? 'shifting' : 'shifted'

function sharesOf(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  return counts.map((count) => (total === 0 ? Number.NaN : count / total))
}

/** Where bins of about equal size begin, ascending; fewer than asked for where values repeat. */
export function quantileCuts(values: readonly number[], bins: number): number[] {
  const sorted = values.toSorted((a, b) => a - b)
  const cuts = Array.from(
    { length: bins - 1 },
    (_, n) => sorted[Math.floor(((n + 1) * sorted.length) / bins)],
  )
  const [least] = sorted
  return [...new Set(cuts)].filter((cut) => cut !== undefined && cut !== least) as number[]
}

/** How many values lie below the first cut, between cuts, and from the last one on. */
export function countByCuts(
  values: Iterable<number | readonly [value: number, count: number]>,
  cuts: readonly number[],
): number[] {
  const counts = new Array<number>(cuts.length + 1).fill(0)
  for (const item of values) {
    const [value, count] = typeof item === 'number' ? [item, 1] : item
    const bin = cuts.findIndex((cut) => value < cut)
    const at = bin < 0 ? cuts.length : bin
    counts[at] = (counts[at] ?? 0) + count
  }
  return counts
}
