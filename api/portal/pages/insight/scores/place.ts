import type { Distribution } from '../insight-types.ts'

type Values = Distribution['values']

/** Counts tell values apart by three digits: so is the score that is looked for among them. */
const threeDigits = (value: number) => Number(value.toPrecision(3))

/** Share of the counted scores that are lower (or higher) than this one; undefined where there are none. */
export function shareBeyond(values: Values, value: number, side: 'lower' | 'higher'): number | undefined {
  const own = threeDigits(value)
  let all = 0
  let beyond = 0
  for (const { value: other, datasets } of values) {
    all += datasets
    if (side === 'lower' ? other < own : other > own) beyond += datasets
  }
  return all === 0 ? undefined : beyond / all
}

/** A bar of a histogram: scores from (included) to (not included). */
export interface Bar {
  readonly from: number
  readonly to: number
  readonly datasets: number
}

/** Bars of one round width over all values and this one, about as many as wanted; the first and last are not empty. */
export function barsOf(values: Values, own: number, wanted: number): Bar[] {
  const all = [...values.map(({ value }) => value), own]
  const [least, most] = [Math.min(...all), Math.max(...all)]
  const width = roundWidth((most - least) / wanted)
  const first = Math.floor(least / width)
  const bars = Array.from({ length: Math.floor(most / width) - first + 1 }, (_, at) => ({
    ...{ from: (first + at) * width, to: (first + at + 1) * width, datasets: 0 },
  }))
  for (const { value, datasets } of values) {
    const bar = bars[Math.floor(value / width) - first]
    if (bar) bar.datasets += datasets
  }
  return bars
}

/** 1, 2 or 5 of a power of ten, at least as wide; scores are whole numbers. */
function roundWidth(width: number): number {
  if (width <= 1) return 1
  const power = 10 ** Math.floor(Math.log10(width))
  return power * ([1, 2, 5].find((one) => one * power >= width) ?? 10)
}
