import type { Platform } from '../../db/capture/capture.ts'
import type { Features } from '../../db/capture/features.ts'
import type { BuiltScorecard, ScorecardModel, When } from '../../db/scorecards/definition/definition.ts'
import type { Contribution, Inputs, Model, Outcome } from './model.ts'
import { compilePmml } from './pmml/compile-pmml.ts'
import { compilePoints } from './points.ts'
import { compilePredicate } from './predicate.ts'
import { rankReasons } from './rank-reasons.ts'
import { compileInputs, compileRowInputs, type ReadInputs } from './read-inputs.ts'
import { fourDecimals, ROUND } from './round.ts'
import { boundedLogOddsOf, compileScaling, logOddsOf, probabilityOf } from './scale.ts'
import { compileTrees } from './trees.ts'

/** What a probability was computed from. */
type ProbabilitySource = 'logit' | 'scaling' | 'table' | 'model'

/** A score with what led to it, or why there is none. */
export type Score =
  | {
      readonly value: number
      /** What value was rounded from, and held between min and max. */
      readonly unrounded: number
      /** Of bad, 4 decimals; null where the scorecard tells none. */
      readonly probability: number | null
      /** What probability was rounded from. */
      readonly unroundedProbability: number | null
      readonly probabilityFrom: ProbabilitySource | null
      /** Natural logarithm of bad:good, unrounded and before calibration, of a probability at most 36.7 from 0; null without either. */
      readonly logOdds: number | null
      /** Name of the segment that scored; null where there are none. */
      readonly segment: string | null
      /** Reason codes, most important first. */
      readonly reasons: readonly string[]
      /** What the points of the contributions are added to, in their units, to give what the model says; null without any. */
      readonly base: number | null
      readonly contributions: readonly Contribution[]
    }
  | { readonly value: null; readonly probability: null; readonly reason: string }

/** A scorecard made ready to score many datasets: pure, and the same answer for the same features. */
export interface CompiledScorecard {
  score(features: Features, platform: Platform): Score
  /** As `score`, of a row by the model's own names, as verifications have them. */
  scoreRow(row: Readonly<Record<string, unknown>>, platform: Platform): Score
}

/** Makes a scorecard ready. */
export function compileScorecard(card: BuiltScorecard): CompiledScorecard {
  const exclusions = card.exclusions.map(({ when, reason }) => ({ applies: compileWhen(when), reason }))
  const segments = card.model
    ? [{ name: null, applies: () => true, model: compileModel(card.model, card) }]
    : (card.segments ?? []).map(({ name, when, model }) => ({
        name,
        applies: compileWhen(when),
        model: compileModel(model, card),
      }))
  const finish = compileFinish(card)

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
      return noScore('the dataset falls into none of the segments of the scorecard')
    }
  const isJudge = [card, ...(card.segments ?? [])].every(({ model }) => (model?.kind ?? 'pmml') === 'pmml')
  return {
    score: scoreWith(compileInputs(card.inputs, isJudge)),
    scoreRow: scoreWith(compileRowInputs(card.inputs, isJudge)),
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

/** From what the model says to what is told: scale, round, hold, probability, reasons. */
function compileFinish(card: BuiltScorecard): (outcome: Predicted, segment: string | null) => Score {
  const { output, probability, reasons } = card
  const scale = card.scaling && compileScaling(card.scaling)
  const round = ROUND[output.rounding]
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = output
  const probabilityFrom = compileProbability(card)

  return (outcome, segment) => {
    const ofBad =
      probability?.badCategory === undefined ? undefined : outcome.probabilities?.[probability.badCategory]
    const logOdds = outcome.logOdds ?? (ofBad === undefined ? undefined : boundedLogOddsOf(ofBad))
    const unrounded =
      output.from === 'model'
        ? outcome.value
        : logOdds === undefined
          ? null
          : (scale?.scoreOf(logOdds) ?? null)
    if (unrounded === null || !Number.isFinite(unrounded))
      return noScore('the model gives no number for this dataset')
    const told = probabilityFrom(unrounded, logOdds, ofBad)
    return {
      value: Math.min(max, Math.max(min, round(unrounded))),
      unrounded,
      probability: told ? fourDecimals(told.probability) : null,
      unroundedProbability: told?.probability ?? null,
      probabilityFrom: told?.source ?? null,
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
  ofBad: number | undefined,
) => { probability: number; source: ProbabilitySource } | undefined

function compileProbability({ probability, scaling }: BuiltScorecard): FindProbability {
  if (!probability) return () => undefined
  const scale = scaling && compileScaling(scaling)
  const { from, table = [], calibration, floor = 0, ceiling = 1 } = probability
  const { intercept = 0, slope = 1 } = calibration ?? {}
  const tell = (source: ProbabilitySource, exact: number, logOdds = logOddsOf(exact)) => {
    const calibrated = calibration ? probabilityOf(intercept + slope * logOdds) : exact
    return { probability: Math.min(ceiling, Math.max(floor, calibrated)), source }
  }
  return (unrounded, logOdds, ofBad) => {
    if (from === 'table') {
      const band = table.find(({ below }) => below === undefined || unrounded < below)
      return band && tell('table', band.probability)
    }
    if (from === 'model') return ofBad === undefined ? undefined : tell('model', ofBad)
    if (from !== 'scaling' && logOdds !== undefined)
      return ofBad === undefined ? tell('logit', probabilityOf(logOdds), logOdds) : tell('logit', ofBad)
    if (from === 'logit' || !scale) return undefined
    const onLine = scale.logOddsOf(unrounded)
    return tell('scaling', probabilityOf(onLine), onLine)
  }
}

/** What is left of the model's value without the contributions, where it does not say so itself. */
function baseOf({ value, base, contributions }: Predicted): number | null {
  if (base !== undefined) return base
  if (value === null || contributions.length === 0) return null
  return contributions.reduce((rest, { points }) => rest - points, value)
}
