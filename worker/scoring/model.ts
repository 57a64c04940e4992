/** Value of an input; undefined is missing. */
export type InputValue = number | boolean | string | undefined

/** Inputs of one dataset or verification row, by the model's input names. */
export type Inputs = Readonly<Record<string, InputValue>>

/** Contribution of one characteristic to a score. */
export interface Contribution {
  /** Name in the model. */
  readonly characteristic: string
  /** Null if missing, or if the characteristic does not have exactly one input. */
  readonly input: number | boolean | string | null
  /** The attribute that matched, for a person: `[26, 35)`, `missing`, `yes`. */
  readonly bin: string
  /** In the units of the model: points, or log-odds of trees. */
  readonly points: number
  /** Points are compared with it to rank reasons; null if the model has none. */
  readonly baseline: number | null
  readonly reasonCode: string | null
}

/** Result of a model for one dataset, before scaling, rounding and texts. */
export type Outcome =
  | {
      /** Unrounded, in the units of the model: points, log-odds or the predicted number; null if it predicts a category. */
      readonly value: number | null
      /** Natural logarithm of bad:good, unrounded, if the model computes it exactly. */
      readonly logOdds?: number
      /** Probability of each category, for classification; they sum to 1. */
      readonly probabilities?: Readonly<Record<string, number>>
      /** The predicted category, for classification. */
      readonly category?: string
      /** Most important first, if the model ranks its reasons itself; otherwise contributions are ranked. */
      readonly reasonCodes?: readonly string[]
      /** The value without the contributions, if they add up to it. */
      readonly base?: number
      readonly contributions: readonly Contribution[]
    }
  /** The reason why there is no score, for a person. */
  | { readonly noScore: string }

/** A model compiled to score many datasets. Pure: the same inputs give the same outcome. */
export interface Model {
  /** Names of the inputs that it reads. */
  readonly inputs: readonly string[]
  evaluate(inputs: Inputs): Outcome
}
