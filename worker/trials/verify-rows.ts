import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import type { VerifiedRows } from '../../db/scorecards/definition/trial-result.ts'
import type { CompiledScorecard } from '../scoring/compile-scorecard.ts'
import { describeMismatch } from '../scoring/find-mismatch.ts'

/** Rows that are told, so that a person sees the pattern. */
const MAX_TOLD = 20

/** Scores every row that the definition brought along, and says which come out otherwise. */
export async function verifyOwnRows(
  definition: Scorecard,
  compiled: CompiledScorecard,
  turn: () => Promise<void> | undefined = () => undefined,
): Promise<VerifiedRows> {
  const mismatches: VerifiedRows['mismatches'] = []
  let matched = 0
  for (const [at, row] of definition.verification.entries()) {
    await turn()
    const detail = describeMismatch(definition, compiled, row)
    if (detail === undefined) matched++
    else if (mismatches.length < MAX_TOLD) mismatches.push({ row: at + 1, detail, inputs: row.inputs })
  }
  return { rows: definition.verification.length, matched, mismatches }
}
