import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import { compileScorecard } from '../../../worker/scoring/compile-scorecard.ts'
import type { ExpectedRow } from './expected-rows.ts'

/** Enough to cover every bin without making the definition too large. */
const MOST_KEPT = 1_000

/** Adds the first verification rows to a scorecard, so that its deployment verifies it again. */
export function addVerificationRows(card: BuiltScorecard, rows: readonly ExpectedRow[]): BuiltScorecard {
  const compiled = compileScorecard(card)
  const [platform = 'android'] = card.platforms
  return {
    ...card,
    verification: rows.slice(0, MOST_KEPT).map(({ inputs, expected: { score, probability, reasons } }) => {
      // the rows matched; unrounded scores of an engine are stored as whole numbers
      const scored = compiled.scoreRow(inputs, platform)
      // rows that were compared by other outputs would otherwise verify nothing
      const isBare = score === undefined && probability === undefined && !reasons
      return {
        inputs: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, value ?? null])),
        ...((score !== undefined || isBare) && { score: scored.value }),
        ...(probability !== undefined && { probability }),
        ...(reasons && { reasonCodes: scored.value === null ? [] : [...scored.reasons] }),
      }
    }),
  }
}
