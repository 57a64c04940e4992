import type { Value } from './values.ts'

/** Prediction of a number or a category; empty without a value. */
export interface Prediction {
  readonly value: Value
  /** Probability of each category, for classification. */
  readonly probabilities?: ReadonlyMap<string, number>
  readonly confidences?: ReadonlyMap<string, number>
  readonly entityId?: string | undefined
  /** Most important first. */
  readonly reasonCodes?: readonly string[]
}

export const NOTHING: Prediction = { value: undefined }

/** Predicts the category with the highest probability; ties go to the first. */
export function mostProbable(probabilities: ReadonlyMap<string, number>): Prediction {
  let best: { category: string; probability: number } | undefined
  for (const [category, probability] of probabilities)
    if (!best || probability > best.probability) best = { category, probability }
  return best ? { value: best.category, probabilities } : NOTHING
}

/** Divides weights by their sum. */
export function normalise(weights: ReadonlyMap<string, number>): Map<string, number> {
  const sum = [...weights.values()].reduce((a, b) => a + b, 0)
  return new Map([...weights].map(([category, weight]) => [category, weight / sum]))
}
