import type { PmmlRegression } from '../../../db/scorecards/definition/pmml.ts'
import { NoPrediction, NoScore, PmmlError } from './errors.ts'
import { compileLink } from './links.ts'
import type { Round } from './math-context.ts'

type Normalization = PmmlRegression['normalization']

/** Tolerance for sums slightly over 1 that result from rounded coefficients. */
const ROUNDING = 1e-6

/**
 * Checks probabilities, and limits those to 0 to 1 that exceed it by rounding.
 *
 * @throws NoScore, which Targets and segmentations do not handle: the result is invalid, not missing.
 */
export function asProbabilities(shares: readonly number[]): readonly number[] {
  if (shares.every((share) => share >= 0 && share <= 1)) return shares
  const wrong = shares.find((share) => !(share >= -ROUNDING && share <= 1 + ROUNDING))
  if (wrong !== undefined) throw new NoScore(`the probability of a category would be ${wrong}`)
  return shares.map((share) => Math.min(1, Math.max(0, share)))
}

type Normalize = (y: number[]) => number[]

/**
 * Compiles the normalization of linear predictors to probabilities that sum to 1.
 *
 * @param only index of the only table that is not trivial, if there is just one.
 */
export function compileNormalization(
  normalization: Normalization,
  count: number,
  isOrdinal: boolean,
  only: number | undefined,
  round: Round,
): Normalize {
  const link = compileLink(normalization, round)
  if (normalization === 'exp')
    throw new PmmlError('the normalization exp requires a regression', normalization)
  if (normalization === 'softmax') return (y) => softmax(y, round)
  if (normalization === 'simplemax')
    return (y) => {
      const sum = y.reduce((total, value) => round(total + value), 0)
      if (!(sum > 0) || y.some((value) => value < 0))
        throw new NoPrediction('simplemax requires nonnegative predictors')
      return y.map((value) => round(value / sum))
    }
  if (isOrdinal)
    return (y) => {
      // only the normalization none can exceed 0 to 1
      const cumulative = y.map((value, at) =>
        at === y.length - 1 ? 1 : Math.min(1, Math.max(0, link(value))),
      )
      return cumulative.map((value, at) => round(value - (cumulative[at - 1] ?? 0)))
    }
  if (count === 2) {
    if (only === undefined)
      throw new PmmlError(
        `with ${normalization}, one of the two RegressionTables must be empty with intercept 0`,
        normalization,
      )
    return (y) => {
      const share = Math.min(1, Math.max(0, link(y[only] ?? 0)))
      const rest = round(1 - share)
      return only === 0 ? [share, rest] : [rest, share]
    }
  }
  if (normalization === 'none')
    return (y) => {
      const others = y.slice(0, -1)
      return [...others, round(1 - others.reduce((total, value) => round(total + value), 0))]
    }
  throw new PmmlError(
    `${normalization} is not supported for more than two unordered categories`,
    normalization,
  )
}

/** Computes softmax; subtracts the greatest value first to avoid overflow. */
export function softmax(y: readonly number[], round: Round): number[] {
  const greatest = Math.max(...y)
  const powers = y.map((value) => round(Math.exp(round(value - greatest))))
  const sum = powers.reduce((total, value) => round(total + value), 0)
  return powers.map((value) => round(value / sum))
}
