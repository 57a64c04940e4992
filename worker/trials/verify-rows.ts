import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import type { VerifiedRows } from '../../db/scorecards/definition/trial-result.ts'
import type { CompiledScorecard } from '../scoring/compile-scorecard.ts'
import { describeMismatch } from '../scoring/find-mismatch.ts'

/** Mismatches that are listed: enough for a person to see the pattern. */
export const MAX_MISMATCHES = 20

/** Scores verification rows of a definition, from one place to another, and lists the mismatches. */
export function verifyRows(
  definition: Scorecard,
  compiled: CompiledScorecard,
  from: number,
  to: number,
): VerifiedRows {
  const mismatches: VerifiedRows['mismatches'] = []
  const rows = definition.verification.slice(from, to)
  let matched = 0
  for (const [at, row] of rows.entries()) {
    const detail = describeMismatch(definition, compiled, row)
    if (detail === undefined) matched++
    else if (mismatches.length < MAX_MISMATCHES)
      mismatches.push({ row: from + at + 1, detail, inputs: row.inputs })
  }
  return { rows: rows.length, matched, mismatches }
}
