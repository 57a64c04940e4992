import { presentRows } from '../reports/present-rows.ts'
import type { Comparison } from './compare-services.ts'

/** Longer values are cut. */
const MAX_LENGTH = 60

const present = (value: unknown): string => {
  const text = value === undefined ? '(absent)' : JSON.stringify(value)
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
}

/** Returns the differences of one upload as lines; empty for none. */
export function presentComparison({ referenceNumber, source, differences }: Comparison): string {
  if (differences.length === 0) return ''
  const lines = differences.map(
    ({ pointer, left, right }) => `  ${pointer || '/'}: ${present(left)} and ${present(right)}\n`,
  )
  return `${referenceNumber} (${source})\n${lines.join('')}`
}

/** Counts of all uploads so far. */
export interface Totals {
  uploads: number
  different: number
  /** Number of uploads by the pointer at which they differ. */
  readonly pointers: Map<string, number>
}

/** Adds an upload to the totals. */
export function addToTotals(totals: Totals, { differences }: Comparison): void {
  totals.uploads++
  if (differences.length > 0) totals.different++
  for (const { pointer } of differences) totals.pointers.set(pointer, (totals.pointers.get(pointer) ?? 0) + 1)
}

/** Returns a table of the places that differ, most frequent first, and a sentence. */
export function presentTotals({ uploads, different, pointers }: Totals): string {
  const rows = [...pointers]
    .toSorted(([a, m], [b, n]) => n - m || a.localeCompare(b))
    .map(([pointer, count]) => [pointer || '/', String(count)])
  const table = rows.length > 0 ? `\n${presentRows(['place', 'uploads'], rows)}\n\n` : ''
  return `${table}${uploads - different} of ${uploads} uploads have the same insight, ${different} differ\n`
}
