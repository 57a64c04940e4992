import { appendFileSync } from 'node:fs'
import type { FaultResultInput } from '../../../scripts/fault-suite/fault-result.ts'

/** Adds a figure to the file that FAULT_FIGURES names, for the table of `scripts/faults`; does nothing where it is not set. */
export function recordFigure(figure: FaultResultInput): void {
  const file = process.env.FAULT_FIGURES
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}
