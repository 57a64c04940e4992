import type { PmmlGeneralRegression, PmmlRegression } from '../../../../db/scorecards/definition/pmml.ts'

type Name = PmmlRegression['normalization'] | NonNullable<PmmlGeneralRegression['link']>

/** Parameters of some links. */
interface Parameters {
  readonly linkParameter?: number | undefined
  readonly distributionParameter?: number | undefined
}

/**
 * Applies the inverse link: from a linear predictor to the mean.
 *
 * @see https://dmg.org/pmml/v4-4-1/GeneralRegression.html, table of link functions
 */
export function inverseLink(
  name: Name,
  y: number,
  { linkParameter = 1, distributionParameter = 1 }: Parameters = {},
): number {
  switch (name) {
    case 'logit':
      return 1 / (1 + Math.exp(-y))
    case 'probit':
      return standardNormal(y)
    case 'cloglog':
      return -Math.expm1(-Math.exp(y))
    case 'loglog':
      return Math.exp(-Math.exp(-y))
    case 'cauchit':
      return 0.5 + Math.atan(y) / Math.PI
    case 'exp':
    case 'log':
      return Math.exp(y)
    case 'logc':
      return 1 - Math.exp(y)
    case 'negbin':
      return 1 / (distributionParameter * (Math.exp(-y) - 1))
    case 'power':
      return linkParameter === 0 ? Math.exp(y) : y ** (1 / linkParameter)
    case 'oddspower':
      return linkParameter === 0
        ? 1 / (1 + Math.exp(-y))
        : 1 / (1 + (1 + linkParameter * y) ** (-1 / linkParameter))
    default:
      return y
  }
}

/** Normal distribution function: the density integrated by Simpson's rule; a continued fraction in the tails. */
function standardNormal(y: number): number {
  const density = (x: number) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)
  if (Math.abs(y) > 3) {
    const x = Math.abs(y)
    let rest = x
    for (let level = 200; level > 0; level--) rest = x + level / rest
    return y < 0 ? density(x) / rest : 1 - density(x) / rest
  }
  const steps = 1_000
  const h = y / steps
  let sum = density(0) + density(y)
  for (let at = 1; at < steps; at++) sum += density(at * h) * (at % 2 === 1 ? 4 : 2)
  return 0.5 + (sum * h) / 3
}
