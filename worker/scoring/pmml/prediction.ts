import type { DataType } from '../../../db/scorecards/definition/pmml.ts'
import type { Contribution } from '../model.ts'
import type { Frame } from './program.ts'
import { convert } from './values.ts'

/** What a model element says of one frame. Without value and category it says nothing. */
export interface Prediction {
  /** Of a regression. */
  readonly value?: number | undefined
  /** Of a classification. */
  readonly category?: string | undefined
  /** Every category that there is, in the order of probabilities and confidences. */
  readonly categories?: readonly string[] | undefined
  readonly probabilities?: readonly number[] | undefined
  readonly confidences?: readonly number[] | undefined
  /** Of the node or the segment. */
  readonly entityId?: string | undefined
  /** The most important first. */
  readonly reasonCodes?: readonly string[] | undefined
  readonly contributions?: readonly Contribution[] | undefined
  /** Why it says nothing, for a person. */
  readonly why?: string | undefined
}

export type Predict = (frame: Frame) => Prediction

export const saysNothing = ({ value, category }: Prediction): boolean =>
  value === undefined && category === undefined

/** A category by one spelling: '1.0' of an integer or double target is '1'. */
export function categoryOf(text: string, dataType: DataType | undefined): string {
  if (dataType === undefined || dataType === 'string') return text
  const value = convert(text.trim(), dataType)
  return Number.isNaN(value) ? text : String(value)
}

/** The place of the greatest; the first among equals. -1 of none. */
export function placeOfGreatest(values: readonly number[]): number {
  let best = -1
  for (const [at, value] of values.entries())
    if (best < 0 || value > (values[best] ?? Number.NEGATIVE_INFINITY)) best = at
  return best
}

/** The most probable category, with the probabilities. */
export function classify(categories: readonly string[], probabilities: readonly number[]): Prediction {
  return { category: categories[placeOfGreatest(probabilities)], categories, probabilities }
}
