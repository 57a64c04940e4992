/** How far a probability may be from what another engine computed: engines add in another order. */
const TOLERANCE = 1e-6

/** Decimals of probabilities as this service tells them. */
const TOLD_DECIMALS = 4

/**
 * Whether a probability is what another engine told: within 0.000001, and where that has fewer decimals, as near as they
 * are; 0.0759 stands for 0.07585 to 0.07595, and so does 0.076, of which nobody knows whether it was rounded.
 *
 * @param ours unrounded; null: there is none.
 */
export function isProbability(expected: number | null, ours: number | null): boolean {
  if (expected === null || ours === null) return expected === ours
  const text = String(expected)
  const decimals = Math.max(TOLD_DECIMALS, /\.(\d+)$/.exec(text)?.[1]?.length ?? 0)
  const rounding = decimals < 6 && !text.includes('e') ? 0.5 * 10 ** -decimals : 0
  return Math.abs(expected - ours) <= TOLERANCE + rounding
}
