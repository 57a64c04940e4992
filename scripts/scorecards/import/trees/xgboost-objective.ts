import { Refusal } from '../../../admin-commands/refusal.ts'

const OBJECTIVES = {
  'binary:logistic': 'logistic',
  'binary:logitraw': 'logistic',
  'reg:squarederror': 'regression',
} as const

export type XgboostObjective = keyof typeof OBJECTIVES

/** @throws Refusal that names an objective whose margin is neither log-odds nor the predicted number. */
export function requireXgboostObjective(name: string, file: string): XgboostObjective {
  if (Object.hasOwn(OBJECTIVES, name)) return name as XgboostObjective
  throw new Refusal(
    `${file}: objective ${name} is not supported; those supported are ${Object.keys(OBJECTIVES).join(', ')}`,
  )
}

export const kindOfObjective = (name: XgboostObjective) => OBJECTIVES[name]

/**
 * The margin that trees are added to. For binary:logistic `base_score` is a probability, else it is the margin itself.
 *
 * @throws Refusal when it is no number, or no probability where it must be one.
 */
export function baseMargin(name: XgboostObjective, baseScore: number, file: string): number {
  if (!Number.isFinite(baseScore)) throw new Refusal(`${file}: base_score is not a number`)
  if (name !== 'binary:logistic') return Math.fround(baseScore)
  if (baseScore <= 0 || baseScore >= 1)
    throw new Refusal(`${file}: base_score ${baseScore} is no probability between 0 and 1, as ${name} needs`)
  return Math.fround(-Math.log(Math.fround(Math.fround(1 / Math.fround(baseScore)) - 1)))
}
