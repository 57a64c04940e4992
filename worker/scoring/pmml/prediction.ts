import type { DataType } from '../../../db/scorecards/definition/pmml.ts'
import type { Contribution } from '../model.ts'
import type { Frame } from './program.ts'
import { convert } from './values.ts'

/** Prediction of a model element for one frame; empty without value and category. */
export interface Prediction {
  /** Set by a regression. */
  readonly value?: number | undefined
  /** Set by a classification. */
  readonly category?: string | undefined
  /** All categories, in the order of probabilities and confidences. */
  readonly categories?: readonly string[] | undefined
  readonly probabilities?: readonly number[] | undefined
  readonly confidences?: readonly number[] | undefined
  /** Id of the node or segment. */
  readonly entityId?: string | undefined
  /** Most important first. */
  readonly reasonCodes?: readonly string[] | undefined
  readonly contributions?: readonly Contribution[] | undefined
  /** Why the prediction is empty, for a person. */
  readonly reason?: string | undefined
}

export type Predict = (frame: Frame) => Prediction

export const isEmptyPrediction = ({ value, category }: Prediction): boolean =>
  value === undefined && category === undefined

/** Normalises the spelling of a category: '1.0' of an integer or double target becomes '1'. */
export function categoryOf(text: string, dataType: DataType | undefined): string {
  if (dataType === undefined || dataType === 'string') return text
  const value = convert(text.trim(), dataType)
  return Number.isNaN(value) ? text : String(value)
}

/** Returns the index of the greatest value, the first of several; -1 without values. */
export function indexOfMax(values: readonly number[]): number {
  let best = -1
  for (const [at, value] of values.entries())
    if (best < 0 || value > (values[best] ?? Number.NEGATIVE_INFINITY)) best = at
  return best
}

/** Predicts the most probable category. */
export function classify(categories: readonly string[], probabilities: readonly number[]): Prediction {
  return { category: categories[indexOfMax(probabilities)], categories, probabilities }
}
