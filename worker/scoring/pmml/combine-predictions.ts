import type { PmmlMining } from '../../../db/scorecards/definition/pmml.ts'
import { median } from './functions.ts'
import { isExact, type Round } from './math-context.ts'
import { classify, indexOfMax, type Prediction } from './prediction.ts'

/** Predictions of the matching segments. */
export interface SegmentPredictions {
  readonly predictions: readonly Prediction[]
  readonly weights: readonly number[]
  /** Weight of empty predictions if they count as a vote. */
  readonly missingWeight: number
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

/** Combination methods for numbers. */
export const NUMBERS: Partial<Record<Method, (round: Round) => Combine>> = {
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

/** Combination methods for categories. */
export const CATEGORIES: Partial<Record<Method, (categories: readonly string[], round: Round) => Combine>> = {
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
