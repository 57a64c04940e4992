import { CONTRIBUTION_STEPS, type Cost } from './cost.ts'
import type { ModelPath } from './model-errors.ts'
import type { TreesModel } from './trees.ts'

/** From a node to its child; in a large forest most nodes are not in the processor's cache. */
const SPLIT_STEPS = 10
const TREE_STEPS = 20

/** Computes the cost of a sum of trees: the longest path of each. Children come after their parents. */
export function costOfTrees({ inputs, roots, left, right, value }: TreesModel, path: ModelPath): Cost {
  const below = new Uint16Array(value.length)
  for (let node = value.length - 1; node >= 0; node--) {
    const [l = 0, r = 0] = [left[node], right[node]]
    if (l !== 0) below[node] = 1 + Math.max(below[l] as number, below[r] as number)
  }
  const splits = roots.reduce((sum, root) => sum + (below[root] as number), 0)
  return {
    steps: splits * SPLIT_STEPS + roots.length * TREE_STEPS + inputs.length * CONTRIBUTION_STEPS,
    at: path,
  }
}
