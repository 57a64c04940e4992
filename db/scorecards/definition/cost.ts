import type { ModelPath } from './model-errors.ts'

/**
 * The cost of a row in steps: the time that scoring one dataset takes at most, computed from the definition alone. A step is about 10 ns
 * of a core of 2024; test/worker/scoring/row-cost.test.ts measures the constants of the files `*-cost.ts`.
 */
export interface Cost {
  readonly steps: number
  /** The place in the definition that causes most of the cost. */
  readonly at: ModelPath
}

/** Adds up costs. The place is that of the largest part if it causes more than half, otherwise the whole. */
export function sumCosts(at: ModelPath, own: number, parts: Iterable<Cost> = []): Cost {
  let steps = own
  let largest: Cost | undefined
  for (const part of parts) {
    steps += part.steps
    if (!largest || part.steps > largest.steps) largest = part
  }
  return { steps, at: largest && 2 * largest.steps > steps ? largest.at : at }
}

/** A contribution to a score, and its part of the explanation as JSON. */
export const CONTRIBUTION_STEPS = 100

/** A step for so many characters of a text that is compared, copied or written. */
export const CHARACTERS_PER_STEP = 5

/** An error that ends a part of a model, with its stack. */
export const ERROR_STEPS = 1_000
