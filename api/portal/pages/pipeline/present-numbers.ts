const count = new Intl.NumberFormat()
const precise = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 2 })

/** As in 1,204; with a plus where there may be more. */
export const countText = (datasets: number, atLeast = false): string =>
  `${count.format(datasets)}${atLeast ? '+' : ''}`

const UNITS: readonly [unit: string, ms: number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]

/** As in 120 ms, 1.5 s or 12 min. */
export function durationText(ms: number): string {
  const [unit, length] = UNITS.find(([, length]) => ms >= length) ?? ['ms', 1]
  return `${precise.format(ms / length)} ${unit}`
}
