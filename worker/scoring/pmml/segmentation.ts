import type { PmmlMining } from '../../../db/scorecards/definition/pmml.ts'
import { PmmlFault } from './faults.ts'
import { median } from './functions.ts'
import { isExact, type Round, roundingOf } from './math-context.ts'
import { holds, type Test } from './predicates.ts'
import { classify, type Predict, type Prediction, placeOfGreatest, saysNothing } from './prediction.ts'
import type { Frame } from './program.ts'

/** A segment made ready. */
export interface Segment {
  readonly id: string
  readonly weight: number
  /** undefined: always. */
  readonly test: Test | undefined
  /** Of a chain: whether its prediction can be that of the chain, since nothing after it builds on it. */
  readonly isFinal: boolean
  readonly predict: Predict
}

/**
 * How the predictions of segments become one.
 *
 * @param categories every category of all segments; undefined for numbers.
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
  if (!combine) throw new PmmlFault(`the method ${method} is not for a ${model.function}`, method)
  return (frame) => {
    const gathered = gather(model, segments, categories, frame)
    return 'why' in gathered ? gathered : combine(gathered)
  }
}

const NONE: Prediction = { why: 'no segment holds' }

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

/** Each segment may read what those before it put out; the last final one that holds is the prediction. */
function chain({ missingPredictionTreatment }: PmmlMining, segments: readonly Segment[]): Predict {
  return (frame) => {
    let last: Prediction = { why: 'no segment that gives the result holds' }
    for (const { test, predict, isFinal } of segments) {
      if (test && !holds(test(frame))) continue
      const prediction = predict(frame)
      if (saysNothing(prediction)) {
        if (missingPredictionTreatment === 'returnMissing') return prediction
        if (missingPredictionTreatment === 'skipSegment') continue
      }
      if (isFinal) last = prediction
    }
    return last
  }
}

interface Gathered {
  readonly predictions: readonly Prediction[]
  readonly weights: readonly number[]
  /** Of those that say nothing, where they are a vote of their own. */
  readonly missingWeight: number
}

const WEIGHTED: ReadonlySet<PmmlMining['method']> = new Set([
  'weightedMajorityVote',
  'weightedAverage',
  'weightedSum',
])
const VOTES: ReadonlySet<PmmlMining['method']> = new Set(['majorityVote', 'weightedMajorityVote'])

/** The predictions of the segments that hold, as missingPredictionTreatment says; or why there are none. */
function gather(
  model: PmmlMining,
  segments: readonly Segment[],
  categories: readonly string[] | undefined,
  frame: Frame,
): Gathered | { readonly why: string } {
  const { method, missingPredictionTreatment: treatment, missingThreshold } = model
  const isWeighted = WEIGHTED.has(method)
  const predictions: Prediction[] = []
  const weights: number[] = []
  let missingWeight = 0
  let missingShare = 0
  let total = 0
  let why: string | undefined
  for (const segment of segments) {
    if (segment.test && !holds(segment.test(frame))) continue
    const prediction = segment.predict(frame)
    const weight = isWeighted ? segment.weight : 1
    // the threshold is of weights, whether or not the method is, as in JPMML
    total += segment.weight
    if (prediction.value === undefined && prediction.category === undefined) {
      missingWeight += weight
      missingShare += segment.weight
      why ??= prediction.why ?? 'a segment has no prediction'
    } else {
      predictions.push(categories ? inOrder(prediction, categories) : prediction)
      weights.push(weight)
    }
  }
  if (why !== undefined) {
    if (treatment === 'returnMissing') return { why }
    if (missingShare / total > missingThreshold) return { why }
    if (treatment === 'continue' && !VOTES.has(method)) return { why }
  }
  if (predictions.length === 0) return { why: why ?? 'no segment holds' }
  return { predictions, weights, missingWeight: treatment === 'skipSegment' ? 0 : missingWeight }
}

/**
 * The same prediction with its shares in an order that all segments have: those of a chain, of a selection and of prior
 * probabilities come in an order of their own.
 */
function inOrder(prediction: Prediction, categories: readonly string[]): Prediction {
  const { categories: own, probabilities, confidences } = prediction
  if (own === categories || !own) return prediction
  const places = categories.map((category) => own.indexOf(category))
  const ordered = (shares: readonly number[] | undefined) =>
    shares && places.map((place) => (place < 0 ? 0 : (shares[place] ?? 0)))
  return {
    ...prediction,
    categories,
    probabilities: ordered(probabilities),
    confidences: ordered(confidences),
  }
}

type Combine = (gathered: Gathered) => Prediction
type Method = PmmlMining['method']

const sumOf = (values: readonly number[], round: Round) => {
  let sum = 0
  for (const value of values) sum = round(sum + value)
  return sum
}

const numberOf = ({ value }: Prediction): number => value ?? Number.NaN

const sumOfValues = ({ predictions }: Gathered, round: Round) => {
  let sum = 0
  if (isExact(round)) {
    for (let at = 0; at < predictions.length; at++) sum += numberOf(predictions[at] as Prediction)
    return sum
  }
  for (let at = 0; at < predictions.length; at++)
    sum = round(sum + round(numberOf(predictions[at] as Prediction)))
  return sum
}

const weightedSum = ({ predictions, weights }: Gathered, round: Round) => {
  let sum = 0
  for (let at = 0; at < predictions.length; at++) {
    const value = round(numberOf(predictions[at] as Prediction))
    sum = round(sum + round(value * round(weights[at] as number)))
  }
  return sum
}

const number =
  (combine: (gathered: Gathered, round: Round) => number) =>
  (round: Round): Combine =>
  (gathered) => ({ value: combine(gathered, round) })

const NUMBERS: Partial<Record<Method, (round: Round) => Combine>> = {
  sum: number(sumOfValues),
  weightedSum: number(weightedSum),
  average: number((gathered, round) => round(sumOfValues(gathered, round) / gathered.predictions.length)),
  weightedAverage: number((gathered, round) =>
    round(weightedSum(gathered, round) / sumOf(gathered.weights, round)),
  ),
  median: number(({ predictions }, round) => round(median(predictions.map(numberOf)))),
}

const vote =
  (categories: readonly string[], round: Round): Combine =>
  ({ predictions, weights, missingWeight }) => {
    const votes = categories.map(() => 0)
    for (const [at, { category }] of predictions.entries()) {
      const place = categories.indexOf(category ?? '')
      votes[place] = round((votes[place] ?? 0) + (weights[at] ?? 0))
    }
    const total = sumOf(votes, round)
    const most = Math.max(...votes)
    if (missingWeight > most) return { why: 'most segments have no prediction' }
    // among equals the one that was voted for first
    const winner = predictions.find(({ category = '' }) => votes[categories.indexOf(category)] === most)
    const probabilities = votes.map((count) => round(count / total))
    return { category: winner?.category, categories, probabilities }
  }

/** Of one category, what each segment gives it. */
const sharesOf = (predictions: readonly Prediction[], place: number): number[] =>
  predictions.map(({ probabilities }) => probabilities?.[place] ?? 0)

const averaged = (categories: readonly string[], round: Round): Combine => {
  // a call for each share would take a quarter of the time of a forest
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

/** The winner is the category with the greatest `choose`; its probabilities are the mean of the segments that gave that. */
const chosen =
  (choose: (shares: number[]) => number, gave: (shares: number[]) => (share: number) => boolean) =>
  (categories: readonly string[], round: Round): Combine =>
  ({ predictions }) => {
    const winner = placeOfGreatest(categories.map((_, place) => choose(sharesOf(predictions, place))))
    const isGiver = gave(sharesOf(predictions, winner))
    const givers = predictions.filter(({ probabilities }) => isGiver(probabilities?.[winner] ?? 0))
    const probabilities = categories.map((_, place) =>
      round(sumOf(sharesOf(givers, place), round) / givers.length),
    )
    return { category: categories[winner], categories, probabilities }
  }

/** The one in the middle, or both. */
function middles(shares: readonly number[]): number[] {
  const sorted = [...shares].sort((a, b) => a - b)
  return sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
}

const CATEGORIES: Partial<Record<Method, (categories: readonly string[], round: Round) => Combine>> = {
  majorityVote: vote,
  weightedMajorityVote: vote,
  average: averaged,
  weightedAverage: averaged,
  max: chosen(
    (shares) => Math.max(...shares),
    (shares) => {
      const most = Math.max(...shares)
      return (share) => share === most
    },
  ),
  median: chosen(median, (shares) => {
    const both = middles(shares)
    return (share) => both.includes(share)
  }),
}
