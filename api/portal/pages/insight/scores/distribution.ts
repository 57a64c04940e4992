import { ordinalText, pluralText } from '../../../parts/formats.ts'
import type { Distribution } from '../insight-types.ts'

/** Period of the scores that a score is compared with. */
export const DAYS = 30

/** Least number of scores for a percentile. */
const MIN_SCORES = 20

type Values = Distribution['values']

/** Counts are stored by values of three significant digits. */
const threeDigits = (value: number) => Number(value.toPrecision(3))

/**
 * Computes the mid-rank percentile of a score: the share of lower scores plus half of the equal ones, itself included.
 *
 * @returns 1 to 99; undefined without scores.
 */
export function percentileOf(values: Values, value: number): number | undefined {
  const own = threeDigits(value)
  let [lower, equal, all] = [0, 0, 0]
  for (const { value: other, datasets } of values) {
    all += datasets
    if (other < own) lower += datasets
    if (other === own) equal += datasets
  }
  if (all === 0) return undefined
  if (equal === 0) [equal, all] = [1, all + 1] // counts lag by a minute
  return Math.min(99, Math.max(1, Math.round((100 * (lower + equal / 2)) / all)))
}

/** Such as "72nd percentile, last 30 days". */
export function percentileText(
  { values, scored }: Pick<Distribution, 'values' | 'scored'>,
  value: number,
): string {
  if (scored < MIN_SCORES)
    return `Only ${pluralText(scored, 'score')} in the last ${DAYS} days, too few for a percentile`
  return `${ordinalText(percentileOf(values, value) ?? 50)} percentile, last ${DAYS} days`
}

/** A bar of a histogram: scores from `from` (inclusive) to `to` (exclusive); infinite for the bars of outliers. */
export interface Bar {
  readonly from: number
  readonly to: number
  readonly datasets: number
}

/** Quantiles of the central range, which always has its own bars. */
const CENTRE = [0.05, 0.95] as const

/**
 * Divides all values and `own` into about `wanted` bars of one round width.
 *
 * Values further from the central 90% than its width share one bar at each end, so that outliers do not squeeze the others.
 */
export function barsOf(values: Values, own: number, wanted: number): Bar[] {
  const all = [...values, { value: own, datasets: 0 }].toSorted((a, b) => a.value - b.value)
  const [low, high] = CENTRE.map((share) => quantileOf(all, share)) as [number, number]
  const reach = high > low ? high - low : Number.POSITIVE_INFINITY
  const inside = all.filter(({ value }) => value >= low - reach && value <= high + reach)
  const [least, most] = [inside[0]?.value ?? own, inside.at(-1)?.value ?? own]
  const width = roundWidth((most - least) / wanted)
  const first = Math.floor(least / width)
  const count = Math.floor(most / width) - first + 1
  const bars = Array.from({ length: count }, (_, at) => ({
    ...{ from: (first + at) * width, to: (first + at + 1) * width, datasets: 0 },
  }))
  const below = { from: Number.NEGATIVE_INFINITY, to: first * width, datasets: 0 }
  const above = { from: (first + count) * width, to: Number.POSITIVE_INFINITY, datasets: 0 }
  for (const { value, datasets } of all)
    (value < below.to ? below : (bars[Math.floor(value / width) - first] ?? above)).datasets += datasets
  const hasBelow = (all[0]?.value ?? own) < below.to
  const hasAbove = (all.at(-1)?.value ?? own) >= above.from
  return [...(hasBelow ? [below] : []), ...bars, ...(hasAbove ? [above] : [])]
}

/** A quantile of sorted values, weighted by datasets. */
function quantileOf(sorted: Values, share: number): number {
  const wanted = share * sorted.reduce((sum, { datasets }) => sum + datasets, 0)
  let sum = 0
  for (const { value, datasets } of sorted) {
    sum += datasets
    if (datasets > 0 && sum >= wanted) return value
  }
  return sorted.at(-1)?.value ?? 0
}

/** Rounds up to 1, 2 or 5 times a power of ten, at least 1, since scores are integers. */
function roundWidth(width: number): number {
  if (width <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(width))
  return power * ([1, 2, 5].find((one) => one * power >= width) ?? 10)
}
