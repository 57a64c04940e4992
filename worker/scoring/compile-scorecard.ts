import type { Platform } from '../../db/capture/capture.ts'
import type { Features } from '../../db/capture/features.ts'
import type { BuiltScorecard, ScorecardModel, When } from '../../db/scorecards/definition/definition.ts'
import type { Contribution, Inputs, Model, Outcome } from './model.ts'
import { compilePmml } from './pmml/compile-pmml.ts'
import { compilePoints } from './points.ts'
import { compilePredicate } from './predicate.ts'
import { rankReasons } from './rank-reasons.ts'
import { compileInputs, compileRowInputs, type ReadInputs } from './read-inputs.ts'
import { ROUND, roundProbability } from './round.ts'
import { boundedLogOddsOf, compileScaling, logOddsOf, probabilityOf } from './scale.ts'
import { compileTrees } from './trees.ts'

/** Source of a probability. */
type ProbabilitySource = 'logit' | 'scaling' | 'table' | 'model'

/** A score with its derivation, or the reason why there is none. */
export type Score =
  | {
      readonly value: number
      /** The value before rounding and limiting to min and max. */
      readonly unrounded: number
      /** Probability of bad, rounded to 4 decimals; null if the scorecard has none. */
      readonly probability: number | null
      /** The probability before rounding. */
      readonly unroundedProbability: number | null
      readonly probabilityFrom: ProbabilitySource | null
      /**
       * Natural logarithm of bad:good, unrounded and before calibration; from a probability, limited to ±36.7. Null without
       * log-odds and probability.
       */
      readonly logOdds: number | null
      /** Name of the segment that scored; null without segments. */
      readonly segment: string | null
      /** Reason codes, most important first. */
      readonly reasons: readonly string[]
      /** The model's value minus the points of the contributions, in the same units; null without contributions. */
      readonly base: number | null
      readonly contributions: readonly Contribution[]
    }
  | { readonly value: null; readonly probability: null; readonly reason: string }

/** A scorecard compiled to score many datasets. Pure: the same features give the same score. */
export interface CompiledScorecard {
  score(features: Features, platform: Platform): Score
  /** Scores a verification row, which has the model's own input names. */
  scoreRow(row: Readonly<Record<string, unknown>>, platform: Platform): Score
}

/** Compiles a scorecard. */
export function compileScorecard(card: BuiltScorecard): CompiledScorecard {
  const exclusions = card.exclusions.map(({ when, reason }) => ({ applies: compileWhen(when), reason }))
  const segments = card.model
    ? [{ name: null, applies: () => true, model: compileModel(card.model, card) }]
    : (card.segments ?? []).map(({ name, when, model }) => ({
        name,
        applies: compileWhen(when),
        model: compileModel(model, card),
      }))
  const finish = compileResult(card)

  const scoreWith =
    (readInputs: ReadInputs) =>
    (of: Readonly<Record<string, unknown>>, platform: Platform): Score => {
      const inputs = readInputs(of)
      if (typeof inputs === 'string') return noScore(inputs)
      for (const { applies, reason } of exclusions) if (applies(inputs, platform)) return noScore(reason)
      for (const { name, applies, model } of segments)
        if (applies(inputs, platform)) {
          const outcome = model.evaluate(inputs)
          return 'noScore' in outcome ? noScore(outcome.noScore) : finish(outcome, name)
        }
      return noScore('no segment of the scorecard matches the dataset')
    }
  const modelValidates = [card, ...(card.segments ?? [])].every(
    ({ model }) => (model?.kind ?? 'pmml') === 'pmml',
  )
  return {
    score: scoreWith(compileInputs(card.inputs, modelValidates)),
    scoreRow: scoreWith(compileRowInputs(card.inputs, modelValidates)),
  }
}

const noScore = (reason: string): Score => ({ value: null, probability: null, reason })

function compileModel(model: ScorecardModel, { inputs, reasons }: BuiltScorecard): Model {
  switch (model.kind) {
    case 'points':
      return compilePoints(model, inputs, reasons)
    case 'trees':
      return compileTrees(model)
    case 'pmml':
      return compilePmml(model)
  }
}

function compileWhen({
  platforms,
  fewerInputsThan,
  predicate,
}: When): (inputs: Inputs, platform: Platform) => boolean {
  const condition = predicate && compilePredicate(predicate)
  return (inputs, platform) =>
    (platforms === undefined || platforms.includes(platform)) &&
    (fewerInputsThan === undefined ||
      Object.values(inputs).filter((value) => value !== undefined).length < fewerInputsThan) &&
    (condition === undefined || condition(inputs) === true)
}

type Predicted = Exclude<Outcome, { noScore: string }>

/** Compiles the steps from the model's outcome to the score: scaling, rounding, limits, probability, reasons. */
function compileResult(card: BuiltScorecard): (outcome: Predicted, segment: string | null) => Score {
  const { output, probability, reasons } = card
  const scale = card.scaling && compileScaling(card.scaling)
  const round = ROUND[output.rounding]
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = output
  const findProbability = compileProbability(card)

  return (outcome, segment) => {
    const badProbability =
      probability?.badCategory === undefined ? undefined : outcome.probabilities?.[probability.badCategory]
    const logOdds =
      outcome.logOdds ?? (badProbability === undefined ? undefined : boundedLogOddsOf(badProbability))
    const unrounded =
      output.from === 'model'
        ? outcome.value
        : logOdds === undefined
          ? null
          : (scale?.scoreOf(logOdds) ?? null)
    if (unrounded === null || !Number.isFinite(unrounded))
      return noScore('the model returns no number for this dataset')
    const found = findProbability(unrounded, logOdds, badProbability)
    return {
      value: Math.min(max, Math.max(min, round(unrounded))),
      unrounded,
      probability: found ? roundProbability(found.probability) : null,
      unroundedProbability: found?.probability ?? null,
      probabilityFrom: found?.source ?? null,
      logOdds: logOdds ?? null,
      segment,
      reasons: outcome.reasonCodes?.slice(0, reasons.atMost) ?? rankReasons(reasons, outcome.contributions),
      base: baseOf(outcome),
      contributions: outcome.contributions,
    }
  }
}

type FindProbability = (
  unrounded: number,
  logOdds: number | undefined,
  badProbability: number | undefined,
) => { probability: number; source: ProbabilitySource } | undefined

function compileProbability({ probability, scaling }: BuiltScorecard): FindProbability {
  if (!probability) return () => undefined
  const scale = scaling && compileScaling(scaling)
  const { from, table = [], calibration, floor = 0, ceiling = 1 } = probability
  const { intercept = 0, slope = 1 } = calibration ?? {}
  const calibrate = (source: ProbabilitySource, exact: number, logOdds = logOddsOf(exact)) => {
    const calibrated = calibration ? probabilityOf(intercept + slope * logOdds) : exact
    return { probability: Math.min(ceiling, Math.max(floor, calibrated)), source }
  }
  return (unrounded, logOdds, badProbability) => {
    if (from === 'table') {
      const band = table.find(({ below }) => below === undefined || unrounded < below)
      return band && calibrate('table', band.probability)
    }
    if (from === 'model') return badProbability === undefined ? undefined : calibrate('model', badProbability)
    if (from !== 'scaling' && logOdds !== undefined)
      return badProbability === undefined
        ? calibrate('logit', probabilityOf(logOdds), logOdds)
        : calibrate('logit', badProbability)
    if (from === 'logit' || !scale) return undefined
    const scaledLogOdds = scale.logOddsOf(unrounded)
    return calibrate('scaling', probabilityOf(scaledLogOdds), scaledLogOdds)
  }
}

/** The model's base; otherwise its value minus the contributions. */
function baseOf({ value, base, contributions }: Predicted): number | null {
  if (base !== undefined) return base
  if (value === null || contributions.length === 0) return null
  return contributions.reduce((rest, { points }) => rest - points, value)
}
