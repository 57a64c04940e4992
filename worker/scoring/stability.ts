/** Interpretation of a stability index by the usual thresholds: below 0.10, below 0.25, and above. */
export type StabilityMark = 'stable' | 'shifting' | 'shifted'

/** Share of empty bins, for which the index would be infinite. */
const MIN_SHARE = 0.0001

/**
 * Computes the shift of a distribution: Σ (actual − expected) × ln(actual ÷ expected). For scores it is called PSI, for a
 * characteristic CSI.
 *
 * @param expected counts or shares by bin.
 * @param actual counts or shares of the same bins.
 * @returns NaN if either is empty.
 * @see Siddiqi, Credit Risk Scorecards (2006), chapter 9, population stability
 */
export function stabilityIndex(expected: readonly number[], actual: readonly number[]): number {
  const [before, now] = [sharesOf(expected), sharesOf(actual)]
  return before.reduce((sum, share, bin) => {
    const [e, a] = [Math.max(share, MIN_SHARE), Math.max(now[bin] ?? 0, MIN_SHARE)]
    return sum + (a - e) * Math.log(a / e)
  }, 0)
}

export const markOf = (index: number): StabilityMark =>
  index < 0.1 ? 'stable' : index < 0.25 ? 'shifting' : 'shifted'

function sharesOf(counts: readonly number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0)
  return counts.map((count) => (total === 0 ? Number.NaN : count / total))
}

/** Returns the cut points of bins of about equal size, ascending; fewer than requested if values repeat. */
export function quantileCuts(values: readonly number[], bins: number): number[] {
  const sorted = values.toSorted((a, b) => a - b)
  const cuts = Array.from(
    { length: bins - 1 },
    (_, n) => sorted[Math.floor(((n + 1) * sorted.length) / bins)],
  )
  const [least] = sorted
  return [...new Set(cuts)].filter((cut) => cut !== undefined && cut !== least) as number[]
}

/** Counts the values below the first cut, between cuts, and from the last cut on. */
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
