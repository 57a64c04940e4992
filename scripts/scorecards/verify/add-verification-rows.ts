import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import { compileScorecard } from '../../../worker/scoring/compile-scorecard.ts'
import type { ExpectedRow } from './expected-rows.ts'

/** As many as show every bin, and not so many that a definition becomes a data set. */
const MOST_KEPT = 1_000

/** A scorecard with the first of the rows that it was verified by, so that whoever deploys it verifies it again. */
export function addVerificationRows(card: BuiltScorecard, rows: readonly ExpectedRow[]): BuiltScorecard {
  const compiled = compileScorecard(card)
  const [platform = 'android'] = card.platforms
  return {
    ...card,
    verification: rows.slice(0, MOST_KEPT).map(({ inputs, expected: { score, probability, reasons } }) => {
      // rows came out as they should; what an engine tells unrounded is told as a whole number here
      const scored = compiled.scoreRow(inputs, platform)
      // rows that were compared by other outputs would otherwise prove nothing where they are verified again
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
