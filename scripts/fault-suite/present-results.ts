import { presentRows } from '../reports/present-rows.ts'
import type { FaultResult } from './fault-result.ts'

/** Formats a table with a row per fault, sorted by name, and the total. */
export function presentFaultResults(results: readonly FaultResult[]): string {
  const sum = (member: 'uploads' | 'kills' | 'inputs' | 'lost') =>
    results.reduce((total, result) => total + result[member], 0)
  const rows = results
    .toSorted((a, b) => a.fault.localeCompare(b.fault, 'en'))
    .map(({ fault, uploads, kills, inputs, lost }) => row(fault, uploads, kills, inputs, lost))
  return presentRows(
    ['fault', 'uploads held', 'times', 'inputs tried', 'lost'],
    [...rows, row('**all**', sum('uploads'), sum('kills'), sum('inputs'), sum('lost'))],
  )
}

const row = (fault: string, ...[uploads, kills, inputs, lost]: [number, number, number, number]) => [
  fault,
  ...[uploads, kills, inputs].map((count) => (count > 0 ? count.toLocaleString('en-US') : '')),
  String(lost),
]
