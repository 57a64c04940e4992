import { ordinalText, pluralText } from '../../../parts/formats.ts'
import type { Distribution } from '../insight-types.ts'

/** Days whose scores a score is compared with. */
export const DAYS = 30

/** Fewer scores are too few for a percentile. */
const MIN_SCORES = 20

type Values = Distribution['values']

/** Counts tell values apart by three digits: so is the score that is looked for among them. */
const threeDigits = (value: number) => Number(value.toPrecision(3))

/**
 * The percentile of a score by mid-rank: the share of lower scores and half of the equal ones, itself included.
 *
 * @returns 1 to 99, never 0 or 100: the score is one of those that it is compared with; undefined without scores.
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
  if (equal === 0) [equal, all] = [1, all + 1] // counts are a minute behind
  return Math.min(99, Math.max(1, Math.round((100 * (lower + equal / 2)) / all)))
}

/** As in "72nd percentile, last 30 days". */
export function percentileText(
  { values, scored }: Pick<Distribution, 'values' | 'scored'>,
  value: number,
): string {
  if (scored < MIN_SCORES)
    return `Only ${pluralText(scored, 'score')} in the last ${DAYS} days: too few to compare`
  return `${ordinalText(percentileOf(values, value) ?? 50)} percentile, last ${DAYS} days`
}

/** A bar of a histogram: scores from (included) to (not included); infinite where it holds all scores beyond. */
export interface Bar {
  readonly from: number
  readonly to: number
  readonly datasets: number
}

/** Shares of the scores below the range that surely has bars of its own, and up to its end. */
const CENTRE = [0.05, 0.95] as const

/**
 * Bars of one round width, about as many as wanted, over all values and this one.
 *
 * Values further from the central 90% than these are wide get one bar at that end, or a single outlier would leave one bar for
 * all others.
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

/** The value that so large a share of the datasets does not exceed; of sorted values. */
function quantileOf(sorted: Values, share: number): number {
  const wanted = share * sorted.reduce((sum, { datasets }) => sum + datasets, 0)
  let sum = 0
  for (const { value, datasets } of sorted) {
    sum += datasets
    if (datasets > 0 && sum >= wanted) return value
  }
  return sorted.at(-1)?.value ?? 0
}

/** 1, 2 or 5 of a power of ten, at least as wide; scores are whole numbers. */
function roundWidth(width: number): number {
  if (width <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(width))
  return power * ([1, 2, 5].find((one) => one * power >= width) ?? 10)
}
