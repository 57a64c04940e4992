/** What a model is given under one of its input names; undefined is missing. */
export type InputValue = number | boolean | string | undefined

/** The inputs of one dataset, or of one row of a verification, by the names that the model has for them. */
export type Inputs = Readonly<Record<string, InputValue>>

/** What one characteristic did to a score. */
export interface Contribution {
  /** As the model names it. */
  readonly characteristic: string
  /** null: missing, or the characteristic has no single input. */
  readonly input: number | boolean | string | null
  /** The attribute that matched, for a person: `[26, 35)`, `missing`, `yes`. */
  readonly bin: string
  /** In the units of the model: points, or log-odds of trees. */
  readonly points: number
  /** What the points are compared with for reasons; null where the model has none. */
  readonly baseline: number | null
  readonly reasonCode: string | null
}

/** What a model says of one dataset, before scaling, rounding and texts. */
export type Outcome =
  | {
      /** Unrounded, in the units of the model: points, log-odds or the predicted number; null where it predicts a category. */
      readonly value: number | null
      /** Natural logarithm of bad:good, unrounded, where the model has it exactly. */
      readonly logOdds?: number
      /** Of each category, where the model classifies; they sum to 1. */
      readonly probabilities?: Readonly<Record<string, number>>
      /** The predicted category, where the model classifies. */
      readonly category?: string
      /** Most important first, where the model ranks its reasons itself; else they are ranked by contribution. */
      readonly reasonCodes?: readonly string[]
      /** What value is before the contributions, where they and it add up to value. */
      readonly base?: number
      readonly contributions: readonly Contribution[]
    }
  /** No score rather than a wrong one, and why, for a person. */
  | { readonly noScore: string }

/** A model made ready to score many datasets: pure, and the same answer for the same inputs. */
export interface Model {
  /** The inputs that it reads, by name. */
  readonly inputs: readonly string[]
  evaluate(inputs: Inputs): Outcome
}
