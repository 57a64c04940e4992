import type { PmmlMining } from '../../../db/scorecards/definition/pmml.ts'
import { CATEGORIES, NUMBERS, type SegmentPredictions } from './combine-predictions.ts'
import { PmmlError } from './errors.ts'
import { roundingOf } from './math-context.ts'
import { holds, type Test } from './predicates.ts'
import { isEmptyPrediction, type Predict, type Prediction } from './prediction.ts'
import type { Frame } from './program.ts'

/** A compiled segment. */
export interface Segment {
  readonly id: string
  readonly weight: number
  /** Undefined for a segment that always applies. */
  readonly test: Test | undefined
  /** In a chain: whether its prediction can be the result, since no later segment reads it. */
  readonly isFinal: boolean
  readonly predict: Predict
}

/**
 * Compiles the combination of the predictions of segments.
 *
 * @param categories all categories of all segments; undefined for regression.
 * @see https://dmg.org/pmml/v4-4/MultipleModels.html
 */
export function compileSegmentation(
  model: PmmlMining,
  segments: readonly Segment[],
  categories: readonly string[] | undefined,
): Predict {
  const { method } = model
  if (method === 'selectFirst') return selectFirst(segments)
  if (method === 'modelChain') return chain(model, segments)
  const round = roundingOf(model)
  const combine = categories ? CATEGORIES[method]?.(categories, round) : NUMBERS[method]?.(round)
  if (!combine) throw new PmmlError(`the method ${method} does not support ${model.function}`, method)
  return (frame) => {
    const collected = collectPredictions(model, segments, categories, frame)
    return 'reason' in collected ? collected : combine(collected)
  }
}

const NONE: Prediction = { reason: 'no segment matches' }

function selectFirst(segments: readonly Segment[]): Predict {
  return (frame) => {
    for (const { test, predict, id } of segments)
      if (!test || holds(test(frame))) {
        const prediction = predict(frame)
        return prediction.entityId === undefined ? { ...prediction, entityId: id } : prediction
      }
    return NONE
  }
}

/** Evaluates a model chain: segments can read earlier outputs, and the last matching final segment is the prediction. */
function chain({ missingPredictionTreatment }: PmmlMining, segments: readonly Segment[]): Predict {
  return (frame) => {
    let last: Prediction = { reason: 'no final segment matches' }
    for (const { test, predict, isFinal } of segments) {
      if (test && !holds(test(frame))) continue
      const prediction = predict(frame)
      if (isEmptyPrediction(prediction)) {
        if (missingPredictionTreatment === 'returnMissing') return prediction
        if (missingPredictionTreatment === 'skipSegment') continue
      }
      if (isFinal) last = prediction
    }
    return last
  }
}

const WEIGHTED: ReadonlySet<PmmlMining['method']> = new Set([
  'weightedMajorityVote',
  'weightedAverage',
  'weightedSum',
])
const VOTES: ReadonlySet<PmmlMining['method']> = new Set(['majorityVote', 'weightedMajorityVote'])

/** Evaluates matching segments under missingPredictionTreatment; returns the reason if there is no result. */
function collectPredictions(
  model: PmmlMining,
  segments: readonly Segment[],
  categories: readonly string[] | undefined,
  frame: Frame,
): SegmentPredictions | { readonly reason: string } {
  const { method, missingPredictionTreatment: treatment, missingThreshold } = model
  const isWeighted = WEIGHTED.has(method)
  const predictions: Prediction[] = []
  const weights: number[] = []
  let missingWeight = 0
  let missingShare = 0
  let total = 0
  let reason: string | undefined
  for (const segment of segments) {
    if (segment.test && !holds(segment.test(frame))) continue
    const prediction = segment.predict(frame)
    const weight = isWeighted ? segment.weight : 1
    // the threshold applies to weights even with unweighted methods, as in JPMML
    total += segment.weight
    if (prediction.value === undefined && prediction.category === undefined) {
      missingWeight += weight
      missingShare += segment.weight
      reason ??= prediction.reason ?? 'a segment has no prediction'
    } else {
      predictions.push(categories ? reorderCategories(prediction, categories) : prediction)
      weights.push(weight)
    }
  }
  if (reason !== undefined) {
    if (treatment === 'returnMissing') return { reason }
    if (missingShare / total > missingThreshold) return { reason }
    if (treatment === 'continue' && !VOTES.has(method)) return { reason }
  }
  if (predictions.length === 0) return { reason: reason ?? 'no segment matches' }
  return { predictions, weights, missingWeight: treatment === 'skipSegment' ? 0 : missingWeight }
}

/**
 * Reorders probabilities to the category order that all segments share. Those of chains, selections and prior
 * probabilities have their own order.
 */
function reorderCategories(prediction: Prediction, categories: readonly string[]): Prediction {
  const { categories: own, probabilities, confidences } = prediction
  if (own === categories || !own) return prediction
  const indexes = categories.map((category) => own.indexOf(category))
  const ordered = (shares: readonly number[] | undefined) =>
    shares && indexes.map((index) => (index < 0 ? 0 : (shares[index] ?? 0)))
  return {
    ...prediction,
    categories,
    probabilities: ordered(probabilities),
    confidences: ordered(confidences),
  }
}
