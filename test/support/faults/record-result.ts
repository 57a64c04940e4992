import { appendFileSync } from 'node:fs'
import type { FigureInput } from '../../../scripts/fault-suite/figure.ts'

/** Adds a figure to the file that FAULT_FIGURES names, for the table of `scripts/faults`; does nothing where it is not set. */
export function recordResult(figure: FigureInput): void {
  const file = process.env.FAULT_FIGURES
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}
