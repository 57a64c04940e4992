import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import type { VerifiedRows } from '../../db/scorecards/definition/trial-result.ts'
import type { CompiledScorecard } from '../scoring/compile-scorecard.ts'
import { describeMismatch } from '../scoring/find-mismatch.ts'

/** Mismatches that are listed: enough for a person to see the pattern. */
const MAX_MISMATCHES = 20

/** Scores every verification row of a definition and lists the mismatches. */
export async function verifyRows(
  definition: Scorecard,
  compiled: CompiledScorecard,
  yieldToBatches: () => Promise<void> | undefined = () => undefined,
): Promise<VerifiedRows> {
  const mismatches: VerifiedRows['mismatches'] = []
  let matched = 0
  for (const [at, row] of definition.verification.entries()) {
    await yieldToBatches()
    const detail = describeMismatch(definition, compiled, row)
    if (detail === undefined) matched++
    else if (mismatches.length < MAX_MISMATCHES) mismatches.push({ row: at + 1, detail, inputs: row.inputs })
  }
  return { rows: definition.verification.length, matched, mismatches }
}
