import type { BuiltScorecard } from '../../db/scorecards/definition/definition.ts'
import type { CompiledScorecard, Score } from './compile-scorecard.ts'
import { matchesProbability } from './matches-probability.ts'

/** Describes the first verification row whose result differs from the expected one; undefined if all match. */
export function findMismatch(card: BuiltScorecard, compiled: CompiledScorecard): string | undefined {
  for (const [at, row] of card.verification.entries()) {
    const mismatch = describeMismatch(card, compiled, row)
    if (mismatch) return `verification row ${at + 1}: ${mismatch}`
  }
  return undefined
}

/** Describes how the result of a verification row differs from the expected one; undefined if it matches. */
export function describeMismatch(
  card: BuiltScorecard,
  compiled: CompiledScorecard,
  row: VerificationRow,
): string | undefined {
  return compare(row, compiled.scoreRow(row.inputs, row.platform ?? card.platforms[0] ?? 'android'))
}

type VerificationRow = BuiltScorecard['verification'][number]

function compare({ score, probability, reasonCodes }: VerificationRow, scored: Score): string | undefined {
  const why = scored.value === null ? ` (${scored.reason})` : ''
  if (score !== undefined && score !== scored.value) return `score ${scored.value}, expected ${score}${why}`
  const actual = scored.value === null ? null : scored.unroundedProbability
  if (probability !== undefined && !matchesProbability(probability, actual))
    return `probability ${actual}, expected ${probability}${why}`
  const reasons = scored.value === null ? [] : scored.reasons
  if (reasonCodes && reasonCodes.join('\n') !== reasons.join('\n'))
    return `reasons ${reasons.join(', ') || 'none'}, expected ${reasonCodes.join(', ') || 'none'}${why}`
  return undefined
}
