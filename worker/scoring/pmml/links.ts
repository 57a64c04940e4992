import type { PmmlGeneralRegression, PmmlRegression } from '../../../db/scorecards/definition/pmml.ts'
import { isExact, type Round } from './math-context.ts'
import { normalCumulative } from './normal-distribution.ts'

/** Inverse link function: from a linear predictor to the mean. */
export type Link = (y: number) => number

interface LinkParameters {
  readonly link?: number | undefined
  readonly distribution?: number | undefined
}

/**
 * Compiles an inverse link function.
 *
 * @param name softmax of a single predictor is the logistic function; simplemax has no inverse and returns the predictor.
 * @returns a function that returns NaN where the inverse link is undefined.
 * @see https://dmg.org/pmml/v4-4/GeneralRegression.html and https://dmg.org/pmml/v4-4/Regression.html
 */
export function compileLink(
  name: PmmlRegression['normalization'] | NonNullable<PmmlGeneralRegression['link']>,
  round: Round,
  { link: power = 1, distribution = 1 }: LinkParameters = {},
): Link {
  const exp = (y: number) => round(Math.exp(y))
  const logistic = (y: number) => round(1 / round(1 + exp(-y)))
  switch (name) {
    case 'none':
    case 'identity':
    case 'simplemax':
      return (y) => y
    case 'softmax':
    case 'logit':
      return logistic
    case 'probit':
      return (y) => round(normalCumulative(y))
    case 'cloglog':
      return isExact(round) ? (y) => -Math.expm1(-Math.exp(y)) : (y) => round(1 - exp(-exp(y)))
    case 'loglog':
      return (y) => exp(-exp(-y))
    case 'cauchit':
      return isExact(round)
        ? (y) => 0.5 + Math.atan(y) / Math.PI
        : (y) => round(0.5 + round(round(1 / round(Math.PI)) * round(Math.atan(y))))
    case 'exp':
    case 'log':
      return exp
    case 'logc':
      return (y) => round(1 - exp(y))
    case 'negbin':
      return (y) => 1 / (distribution * (Math.exp(-y) - 1))
    case 'oddspower':
      return power === 0 ? logistic : (y) => 1 / (1 + (1 + power * y) ** (-1 / power))
    case 'power':
      return power === 0 ? exp : (y) => y ** (1 / power)
  }
}
