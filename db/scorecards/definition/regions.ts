/** A bin of numbers: an interval, single numbers, or both. `from` and `to` are included, `above` and `below` are not. */
interface NumberBin {
  readonly from?: number | undefined
  readonly above?: number | undefined
  readonly to?: number | undefined
  readonly below?: number | undefined
  readonly in?: readonly unknown[] | undefined
}

/** The number line, split where bins begin and end. */
interface Regions {
  /** Ascending. Region 2n lies between cut n - 1 and cut n, region 2n + 1 is cut n itself. */
  readonly cuts: readonly number[]
  /** The first two bins that contain each region, by their places in the list; more than one is an error. */
  readonly bins: readonly (readonly number[])[]
}

/** Whether a bin is an interval, with or without single numbers beside it. */
export const hasInterval = ({ from, above, to, below }: NumberBin): boolean =>
  (from ?? above ?? to ?? below) !== undefined

/** Splits the number line, so that the bins of a number are found by one search. */
export function regionsOf(bins: readonly NumberBin[]): Regions {
  const named = bins.flatMap((bin) => [bin.from, bin.above, bin.to, bin.below, ...(bin.in ?? [])])
  const numbers = named.filter((value) => typeof value === 'number').map((value) => value + 0) // -0 is 0
  const cuts = [...new Set(numbers)].sort((a, b) => a - b)
  const held = Array.from({ length: cuts.length * 2 + 1 }, (): number[] => [])
  const hold = (region: number, bin: number) => {
    const places = held[region]
    if (places && places.length < 2 && places[0] !== bin) places.push(bin)
  }
  for (const [at, bin] of bins.entries()) {
    if (hasInterval(bin)) {
      const last = lastRegion(bin, cuts)
      for (let region = firstRegion(bin, cuts); region <= last; region++) hold(region, at)
    }
    for (const value of bin.in ?? []) if (typeof value === 'number') hold(regionOf(cuts, value), at)
  }
  return { cuts, bins: held }
}

const firstRegion = ({ from, above }: NumberBin, cuts: readonly number[]): number =>
  Math.max(from === undefined ? 0 : regionOf(cuts, from), above === undefined ? 0 : regionOf(cuts, above) + 1)

function lastRegion({ to, below }: NumberBin, cuts: readonly number[]): number {
  const end = cuts.length * 2
  return Math.min(
    to === undefined ? end : regionOf(cuts, to),
    below === undefined ? end : regionOf(cuts, below) - 1,
  )
}

/** Returns the region of a number. */
export function regionOf(cuts: ArrayLike<number>, value: number): number {
  let low = 0
  let high = cuts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cuts[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return cuts[low] === value ? 2 * low + 1 : 2 * low
}

/** Describes a region for a person: `10`, `above 10 and below 20, such as 15`. */
export function presentRegion(cuts: readonly number[], region: number): string {
  const [low, high] = boundsOf(cuts, region)
  if (low === high) return String(low)
  if (low === Number.NEGATIVE_INFINITY && high === Number.POSITIVE_INFINITY) return 'every number'
  if (low === Number.NEGATIVE_INFINITY) return `below ${high}, such as ${high - 1}`
  if (high === Number.POSITIVE_INFINITY) return `above ${low}, such as ${low + 1}`
  return `above ${low} and below ${high}, such as ${(low + high) / 2}`
}

/** Returns the bounds of a region: equal for a single number, otherwise excluded. */
export function boundsOf(cuts: readonly number[], region: number): [low: number, high: number] {
  const at = region >> 1
  const here = cuts[at] ?? Number.POSITIVE_INFINITY
  return region % 2 === 1 ? [here, here] : [cuts[at - 1] ?? Number.NEGATIVE_INFINITY, here]
}
