type Maybe = number | null | undefined

/** The part over the whole, 0 to 1; undefined if either is missing, the whole is 0 or the part exceeds it. */
export function share(part: Maybe, whole: Maybe): number | undefined {
  if (part == null || whole == null) return undefined
  return whole > 0 && part >= 0 && part <= whole ? part / whole : undefined
}

/** A sorted copy; a typed array sorts by number, and natively. */
export function sorted(values: readonly number[]): Float64Array {
  return new Float64Array(values).sort()
}

/**
 * The quantile `p`, 0 to 1, of sorted values by linear interpolation; undefined when there are none.
 *
 * @see Hyndman and Fan, Sample Quantiles in Statistical Packages (1996), definition 7
 */
export function quantile(values: Float64Array, p: number): number | undefined {
  const position = (values.length - 1) * p
  const below = values[Math.floor(position)]
  const above = values[Math.ceil(position)]
  if (below === undefined || above === undefined) return undefined
  return below + (position - Math.floor(position)) * (above - below)
}

/** The median of unsorted values; undefined when there are fewer than `atLeast`. */
export function median(values: readonly number[], atLeast: number): number | undefined {
  return values.length < atLeast ? undefined : quantile(sorted(values), 0.5)
}
