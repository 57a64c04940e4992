import { appendFileSync } from 'node:fs'
import type { FaultResultInput } from '../../../scripts/fault-suite/fault-result.ts'

/** Appends a result to the file FAULT_FIGURES, for the table of `scripts/faults`; does nothing if it is not set. */
export function recordResult(result: FaultResultInput): void {
  const file = process.env.FAULT_FIGURES
  if (file) appendFileSync(file, `${JSON.stringify(result)}\n`)
}
