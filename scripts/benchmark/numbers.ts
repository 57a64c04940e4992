import { medianOf } from './samples.ts'

/** Formats at most four significant digits, with separators: 2,413 · 37.8 · 0.41. */
export function presentNumber(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Formats the median of several rounds and, in brackets, the lowest and highest values. */
export function presentSpread(values: readonly number[]): string {
  const median = presentNumber(medianOf(values))
  if (values.length < 2) return median
  return `${median} (${presentNumber(Math.min(...values))}–${presentNumber(Math.max(...values))})`
}

export const presentFactor = (value: number) => (Number.isFinite(value) ? `${value.toFixed(1)}×` : '–')

export const presentShare = (value: number) => (Number.isFinite(value) ? `${Math.round(value * 100)} %` : '–')
