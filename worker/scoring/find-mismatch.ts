import type { BuiltScorecard } from '../../db/scorecard/definition.ts'
import type { CompiledScorecard, Score } from './compile-scorecard.ts'

/** How far a probability may be from what the tool computed, beside the decimals that it was told with. */
const TOLERANCE = 1e-6

/** Decimals of probabilities as they are told; a tool that gives no more has rounded. */
const TOLD_DECIMALS = 4

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

export type VerificationRow = BuiltScorecard['verification'][number]

function compare({ score, probability, reasonCodes }: VerificationRow, scored: Score): string | undefined {
  const why = scored.value === null ? `, since ${scored.reason}` : ''
  if (score !== undefined && score !== scored.value)
    return `the score should be ${score} and is ${scored.value}${why}`
  const ours = scored.value === null ? null : scored.unroundedProbability
  if (probability !== undefined && !isNear(probability, ours))
    return `the probability should be ${probability} and is ${ours}${why}`
  const reasons = scored.value === null ? [] : scored.reasons
  if (reasonCodes && reasonCodes.join('\n') !== reasons.join('\n'))
    return `the reasons should be ${reasonCodes.join(', ') || 'none'} and are ${reasons.join(', ') || 'none'}${why}`
  return undefined
}

function isNear(expected: number | null, probability: number | null): boolean {
  if (expected === null || probability === null) return expected === probability
  const decimals = Math.max(TOLD_DECIMALS, /\.(\d+)$/.exec(String(expected))?.[1]?.length ?? 0)
  // 0.0759 stands for 0.07585 to 0.07595, 0.0758581800 for itself; what is written as 7e-8 has its digits too
  const rounding = decimals < 6 && !String(expected).includes('e') ? 0.5 * 10 ** -decimals : 0
  return Math.abs(expected - probability) <= TOLERANCE + rounding
}
