import type { PmmlElement, Target } from '../../../../db/scorecards/definition/pmml.ts'
import { roundHalfUp } from './functions.ts'
import { roundBy } from './math-context.ts'
import { mostProbable, NOTHING, normalise, type Prediction } from './prediction.ts'

/** Held within bounds, scaled, moved, made whole, in this order. @see https://dmg.org/pmml/v4-4-1/Targets.html */
export function rescale(value: number, model: PmmlElement): number {
  const [target] = model.targets
  const round = roundBy(model)
  if (!target) return round(value)
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = target
  const clamped = Math.min(round(max), Math.max(round(min), round(value)))
  const moved = round(round(clamped * round(target.rescaleFactor)) + round(target.rescaleConstant))
  return target.castInteger ? CASTS[target.castInteger](moved) : moved
}

const CASTS = {
  round: roundHalfUp,
  ceiling: Math.ceil,
  floor: Math.floor,
}

/** Replaces an empty prediction by the default value or the prior probabilities. */
export function predictDefault(model: PmmlElement): Prediction {
  const target: Target | undefined = model.targets[0]
  if (!target) return NOTHING
  if (model.function === 'regression') {
    const value = target.values.find(({ defaultValue }) => defaultValue !== undefined)?.defaultValue
    return value === undefined ? NOTHING : { value: rescale(value, model) }
  }
  const priors = new Map<string, number>()
  for (const { value, priorProbability } of target.values)
    if (value !== undefined && priorProbability !== undefined) priors.set(value, priorProbability)
  return priors.size === 0 ? NOTHING : mostProbable(normalise(priors))
}
