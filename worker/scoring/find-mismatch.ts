import type { BuiltScorecard } from '../../db/scorecards/definition/definition.ts'
import type { CompiledScorecard, Score } from './compile-scorecard.ts'
import { isProbability } from './is-probability.ts'

/** The first verification row whose result is another than it says, for a person; undefined where all are as they should. */
export function findMismatch(card: BuiltScorecard, compiled: CompiledScorecard): string | undefined {
  for (const [at, row] of card.verification.entries()) {
    const mismatch = describeMismatch(card, compiled, row)
    if (mismatch) return `row ${at + 1} of verification: ${mismatch}`
  }
  return undefined
}

/** In what the result of a verification row is another than it says; undefined where it is as it should. */
export function describeMismatch(
  card: BuiltScorecard,
  compiled: CompiledScorecard,
  row: VerificationRow,
): string | undefined {
  return compare(row, compiled.scoreRow(row.inputs, row.platform ?? card.platforms[0] ?? 'android'))
}

type VerificationRow = BuiltScorecard['verification'][number]

function compare({ score, probability, reasonCodes }: VerificationRow, scored: Score): string | undefined {
  const why = scored.value === null ? `, since ${scored.reason}` : ''
  if (score !== undefined && score !== scored.value)
    return `the score should be ${score} and is ${scored.value}${why}`
  const ours = scored.value === null ? null : scored.unroundedProbability
  if (probability !== undefined && !isProbability(probability, ours))
    return `the probability should be ${probability} and is ${ours}${why}`
  const reasons = scored.value === null ? [] : scored.reasons
  if (reasonCodes && reasonCodes.join('\n') !== reasons.join('\n'))
    return `the reasons should be ${reasonCodes.join(', ') || 'none'} and are ${reasons.join(', ') || 'none'}${why}`
  return undefined
}
