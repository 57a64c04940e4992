import type { Target } from '../../../db/scorecards/definition/pmml.ts'
import type { Round } from './math-context.ts'
import { categoryOf, classify, isEmptyPrediction, type Predict, type Prediction } from './prediction.ts'
import type { RegressionTarget } from './regression.ts'

const CASTS = {
  // rounds halves up, as the function round does: −2.5 becomes −2
  round: Math.round,
  ceiling: Math.ceil,
  floor: Math.floor,
}

/**
 * Applies Targets to a prediction: limits a number to min and max, rescales and casts it, in this order. An empty
 * prediction is replaced by the default value, treated in the same way, or by the prior probabilities.
 *
 * @see https://dmg.org/pmml/v4-4/Targets.html
 */
export function applyTarget(
  predict: Predict,
  target: Target | undefined,
  { dataType }: RegressionTarget,
  round: Round,
): Predict {
  if (!target) return predict
  const {
    min = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
    rescaleFactor,
    rescaleConstant,
  } = target
  const cast = target.castInteger ? CASTS[target.castInteger] : (x: number) => x
  const defaultValue = target.values.find((entry) => entry.defaultValue !== undefined)?.defaultValue
  const priors = target.values.flatMap(({ value, priorProbability }) =>
    value === undefined || priorProbability === undefined
      ? []
      : [{ category: categoryOf(value, dataType), priorProbability }],
  )
  const total = priors.reduce((sum, { priorProbability }) => sum + priorProbability, 0)
  const prior = classify(
    priors.map(({ category }) => category),
    priors.map(({ priorProbability }) => priorProbability / total),
  )
  const adjust = (value: number) => {
    const clamped = Math.min(round(max), Math.max(round(min), value))
    return cast(round(round(clamped * round(rescaleFactor)) + round(rescaleConstant)))
  }
  return (frame): Prediction => {
    const prediction = predict(frame)
    if (isEmptyPrediction(prediction)) {
      if (total > 0) return prior
      return defaultValue === undefined ? prediction : { value: adjust(round(defaultValue)) }
    }
    return prediction.value === undefined ? prediction : { ...prediction, value: adjust(prediction.value) }
  }
}
