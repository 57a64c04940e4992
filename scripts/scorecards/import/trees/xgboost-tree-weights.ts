import { UserError } from '../../../cli/user-error.ts'

/** Lists with one entry per tree that do not affect predictions. */
const HARMLESS: ReadonlySet<string> = new Set(['trees', 'tree_info', 'iteration_indptr'])

interface Booster {
  readonly name: string
  readonly weight_drop?: readonly number[] | undefined
  readonly model?: { readonly weight_drop?: readonly number[] | undefined } | undefined
  readonly gbtree?: { readonly model: object } | undefined
}

/**
 * Returns the weight of each tree, which DART stores in the file. Since XGBoost 3.3 booster gbtree has them too, because dart
 * is a parameter of gbtree.
 *
 * @returns undefined if all weights are 1.
 * @throws UserError if weights are missing, are not one per tree, or an unknown list has an entry per tree.
 */
export function findTreeWeights(
  booster: Booster,
  trees: number,
  file: string,
): readonly number[] | undefined {
  for (const part of [booster, booster.model ?? {}, booster.gbtree?.model ?? {}])
    for (const [name, value] of Object.entries(part))
      if (name !== 'weight_drop' && !HARMLESS.has(name) && isNumberPerTree(value, trees))
        throw new UserError(
          `${file}: ${name} has a number for each tree of unknown meaning; save the model with XGBoost 1.0 to 3.4`,
        )
  const weights = booster.weight_drop ?? booster.model?.weight_drop
  if (!weights || (weights.length === 0 && booster.name === 'gbtree')) {
    if (booster.name === 'dart') throw new UserError(`${file}: booster dart has no weight_drop`)
    return undefined
  }
  if (weights.length !== trees)
    throw new UserError(`${file}: weight_drop has ${weights.length} weights, but there are ${trees} trees`)
  return weights
}

const isNumberPerTree = (value: unknown, trees: number) =>
  Array.isArray(value) && value.length === trees && value.every((entry) => typeof entry === 'number')

/** Returns the weighted leaf value, in 32-bit floats like XGBoost. */
export const weighLeaf = (leaf: number, weight: number): number =>
  weight === 1 ? leaf : Math.fround(Math.fround(leaf) * Math.fround(weight))
