import type { PmmlMining } from '../../../db/scorecards/definition/pmml.ts'
import { PmmlError } from './errors.ts'
import { median } from './functions.ts'
import { isExact, type Round, roundingOf } from './math-context.ts'
import { holds, type Test } from './predicates.ts'
import { classify, indexOfMax, isEmptyPrediction, type Predict, type Prediction } from './prediction.ts'
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

interface SegmentPredictions {
  readonly predictions: readonly Prediction[]
  readonly weights: readonly number[]
  /** Weight of empty predictions if they count as a vote. */
  readonly missingWeight: number
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

type Combine = (collected: SegmentPredictions) => Prediction
type Method = PmmlMining['method']

const sumOf = (values: readonly number[], round: Round) => {
  let sum = 0
  for (const value of values) sum = round(sum + value)
  return sum
}

const numberOf = ({ value }: Prediction): number => value ?? Number.NaN

const sumOfValues = ({ predictions }: SegmentPredictions, round: Round) => {
  let sum = 0
  if (isExact(round)) {
    for (let at = 0; at < predictions.length; at++) sum += numberOf(predictions[at] as Prediction)
    return sum
  }
  for (let at = 0; at < predictions.length; at++)
    sum = round(sum + round(numberOf(predictions[at] as Prediction)))
  return sum
}

const weightedSum = ({ predictions, weights }: SegmentPredictions, round: Round) => {
  let sum = 0
  for (let at = 0; at < predictions.length; at++) {
    const value = round(numberOf(predictions[at] as Prediction))
    sum = round(sum + round(value * round(weights[at] as number)))
  }
  return sum
}

const numberMethod =
  (combine: (collected: SegmentPredictions, round: Round) => number) =>
  (round: Round): Combine =>
  (collected) => ({ value: combine(collected, round) })

const NUMBERS: Partial<Record<Method, (round: Round) => Combine>> = {
  sum: numberMethod(sumOfValues),
  weightedSum: numberMethod(weightedSum),
  average: numberMethod((collected, round) =>
    round(sumOfValues(collected, round) / collected.predictions.length),
  ),
  weightedAverage: numberMethod((collected, round) =>
    round(weightedSum(collected, round) / sumOf(collected.weights, round)),
  ),
  median: numberMethod(({ predictions }, round) => round(median(predictions.map(numberOf)))),
}

const countVotes =
  (categories: readonly string[], round: Round): Combine =>
  ({ predictions, weights, missingWeight }) => {
    const votes = categories.map(() => 0)
    for (const [at, { category }] of predictions.entries()) {
      const index = categories.indexOf(category ?? '')
      votes[index] = round((votes[index] ?? 0) + (weights[at] ?? 0))
    }
    const total = sumOf(votes, round)
    const most = Math.max(...votes)
    if (missingWeight > most) return { reason: 'most segments have no prediction' }
    // ties go to the category that was voted for first
    const winner = predictions.find(({ category = '' }) => votes[categories.indexOf(category)] === most)
    const probabilities = votes.map((count) => round(count / total))
    return { category: winner?.category, categories, probabilities }
  }

/** Returns the probability of one category by segment. */
const sharesOf = (predictions: readonly Prediction[], index: number): number[] =>
  predictions.map(({ probabilities }) => probabilities?.[index] ?? 0)

const averageProbabilities = (categories: readonly string[], round: Round): Combine => {
  // a call per probability would take a quarter of the time of a forest
  const isPlain = isExact(round)
  return ({ predictions, weights }) => {
    const sums = new Array<number>(categories.length).fill(0)
    for (let at = 0; at < predictions.length; at++) {
      const probabilities = predictions[at]?.probabilities ?? []
      const weight = round(weights[at] ?? 0)
      for (let n = 0; n < sums.length; n++)
        sums[n] = isPlain
          ? (sums[n] as number) + weight * (probabilities[n] ?? 0)
          : round((sums[n] as number) + round(weight * (probabilities[n] ?? 0)))
    }
    const total = sumOf(weights, round)
    return classify(
      categories,
      sums.map((sum) => round(sum / total)),
    )
  }
}

/** The winner is the category with the greatest `choose`; probabilities are averaged over the segments that match it. */
const chooseBy =
  (choose: (shares: number[]) => number, matches: (shares: number[]) => (share: number) => boolean) =>
  (categories: readonly string[], round: Round): Combine =>
  ({ predictions }) => {
    const winner = indexOfMax(categories.map((_, index) => choose(sharesOf(predictions, index))))
    const isMatch = matches(sharesOf(predictions, winner))
    const contributors = predictions.filter(({ probabilities }) => isMatch(probabilities?.[winner] ?? 0))
    const probabilities = categories.map((_, index) =>
      round(sumOf(sharesOf(contributors, index), round) / contributors.length),
    )
    return { category: categories[winner], categories, probabilities }
  }

/** Returns the middle value, or the middle two. */
function middles(shares: readonly number[]): number[] {
  const sorted = [...shares].sort((a, b) => a - b)
  return sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
}

const CATEGORIES: Partial<Record<Method, (categories: readonly string[], round: Round) => Combine>> = {
  majorityVote: countVotes,
  weightedMajorityVote: countVotes,
  average: averageProbabilities,
  weightedAverage: averageProbabilities,
  max: chooseBy(
    (shares) => Math.max(...shares),
    (shares) => {
      const most = Math.max(...shares)
      return (share) => share === most
    },
  ),
  median: chooseBy(median, (shares) => {
    const both = middles(shares)
    return (share) => both.includes(share)
  }),
}
