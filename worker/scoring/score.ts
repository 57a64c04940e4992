import type { Features, FeatureValue } from '../../db/features.ts'
import type { Scorecard } from '../../db/scorecard.ts'

type Characteristic = Scorecard['characteristics'][number]
type Bin = Characteristic['bins'][number]

/** What one characteristic added to the log-odds, and by which bin. */
export interface Contribution {
  readonly feature: string
  /** null: missing. */
  readonly input: number | boolean | string | null
  /** Place of the bin in the definition, from 0. */
  readonly bin: number
  readonly weight: number
}

/** A score, or why there is none. */
export type Score =
  | {
      readonly value: number
      /** Of default, from the unrounded log-odds, rounded to 4 decimals. */
      readonly probability: number
      /** Natural logarithm of good:bad. */
      readonly logOdds: number
      readonly contributions: readonly Contribution[]
    }
  | { readonly value: null; readonly probability: null; readonly reason: string }

/**
 * Scores a dataset's features.
 *
 * There is no score, rather than an invented one, where a characteristic has no bin for its input.
 *
 * @see db/scorecard.ts for the formulae
 */
export function score(scorecard: Scorecard, features: Features): Score {
  let logOdds = scorecard.intercept
  const contributions: Contribution[] = []
  for (const { feature, bins } of scorecard.characteristics) {
    const input = (features as Record<string, FeatureValue>)[feature]
    const bin = bins.findIndex((candidate) => matches(candidate, input))
    const { weight } = bins[bin] ?? {}
    if (weight === undefined) return { value: null, probability: null, reason: unbinned(feature, input) }
    logOdds += weight
    contributions.push({ feature, input: input ?? null, bin, weight })
  }
  const { baseScore, baseOdds, pointsToDoubleOdds } = scorecard.scaling
  const points = baseScore + (pointsToDoubleOdds / Math.LN2) * (logOdds - Math.log(baseOdds))
  return {
    value: roundHalfAwayFromZero(points),
    probability: Math.round(1e4 / (1 + Math.exp(logOdds))) / 1e4,
    logOdds,
    contributions,
  }
}

function matches(bin: Bin, input: FeatureValue): boolean {
  if (input === undefined) return 'missing' in bin
  if ('in' in bin) return typeof input !== 'number' && bin.in.includes(input)
  if ('else' in bin) return true
  if ('missing' in bin || typeof input !== 'number') return false
  return (bin.from === undefined || input >= bin.from) && (bin.below === undefined || input < bin.below)
}

const unbinned = (feature: string, input: FeatureValue) =>
  input === undefined
    ? `${feature} is missing, and the scorecard has no bin for that`
    : `${feature} is ${JSON.stringify(input)}, and the scorecard has no bin for that`

/** Math.round rounds halves up: -2.5 to -2. Never -0. */
const roundHalfAwayFromZero = (value: number) => Math.sign(value) * Math.round(Math.abs(value)) + 0
