/** Tolerance against other engines, which add in another order. */
const TOLERANCE = 1e-6

/** Decimals of the probabilities that this service returns. */
const ROUNDED_DECIMALS = 4

/**
 * Whether a probability equals that of another engine: within 0.000001, or within the rounding of an expected value with
 * fewer decimals, at least 4. 0.0759 matches 0.07585 to 0.07595; 0.076 counts as 0.0760, as it may not be rounded.
 *
 * @param actual unrounded; null if there is none.
 */
export function matchesProbability(expected: number | null, actual: number | null): boolean {
  if (expected === null || actual === null) return expected === actual
  const text = String(expected)
  const decimals = Math.max(ROUNDED_DECIMALS, /\.(\d+)$/.exec(text)?.[1]?.length ?? 0)
  const rounding = decimals < 6 && !text.includes('e') ? 0.5 * 10 ** -decimals : 0
  return Math.abs(expected - actual) <= TOLERANCE + rounding
}
