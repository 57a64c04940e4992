import { appendFileSync } from 'node:fs'

/** What a test of the fault suite did, and what it cost; `scripts/faults` makes a table of them. */
export interface Figure {
  /** As a row of the table: "Redis killed for 30 s". */
  readonly fault: string
  /** Answered 200. */
  readonly uploads?: number
  /** How often something was killed or taken away. */
  readonly kills?: number
  /** Fuzzed inputs that were tried. */
  readonly inputs?: number
  /** Uploads answered 200 that have no insight or two, or inputs that did harm: always 0 where the test passed. */
  readonly lost: number
}

/** Adds a figure to the file that FAULT_FIGURES names, a line of JSON each; does nothing where it is not set. */
export function recordFigure(figure: Figure): void {
  const file = process.env.FAULT_FIGURES
  if (file) appendFileSync(file, `${JSON.stringify(figure)}\n`)
}
