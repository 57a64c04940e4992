type Maybe = number | null | undefined

/** Returns part / whole, 0 to 1; undefined if either is missing, the whole is 0 or the part exceeds it. */
export function share(part: Maybe, whole: Maybe): number | undefined {
  if (part == null || whole == null) return undefined
  return whole > 0 && part >= 0 && part <= whole ? part / whole : undefined
}

/**
 * Returns the quantile `p`, 0 to 1, by linear interpolation; undefined without values. Reorders `values`, which need not be
 * sorted.
 *
 * @see Hyndman and Fan, Sample Quantiles in Statistical Packages (1996), definition 7
 */
export function quantile(values: number[], p: number): number | undefined {
  if (values.length === 0) return undefined
  const position = (values.length - 1) * p
  const rank = Math.floor(position)
  const below = select(values, rank)
  if (rank === position) return below
  let above = Number.POSITIVE_INFINITY
  for (let at = rank + 1; at < values.length; at++) above = Math.min(above, values[at] as number)
  return below + (position - rank) * (above - below)
}

/** Returns the median; undefined with fewer than `atLeast` values. Reorders `values`, which need not be sorted. */
export function median(values: number[], atLeast: number): number | undefined {
  return values.length < atLeast ? undefined : quantile(values, 0.5)
}

/**
 * Quickselect: moves the value of a rank to that index, with no smaller values after it, and returns it. Takes a third
 * of the time of sorting a few hundred values.
 *
 * Pivots are random, so that no client can craft an order that takes quadratic time.
 *
 * @see Hoare, Algorithm 65: Find (1961)
 */
function select(values: number[], rank: number): number {
  let from = 0
  let to = values.length - 1
  while (from < to) {
    const pivot = values[from + Math.floor(Math.random() * (to - from + 1))] as number
    let low = from
    let high = to
    while (low <= high) {
      while ((values[low] as number) < pivot) low++
      while ((values[high] as number) > pivot) high--
      if (low > high) break
      const value = values[low] as number
      values[low++] = values[high] as number
      values[high--] = value
    }
    if (rank <= high) to = high
    else if (rank >= low) from = low
    else break
  }
  return values[rank] as number
}
