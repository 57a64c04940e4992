import { z } from 'zod'
import { InputName } from './inputs.ts'
import type { ModelError, ModelNames } from './model-errors.ts'
import { ReasonCode } from './points.ts'

/** Bits of `flags`: the side of values that are not compared with the bound of a split. */
export const DEFAULT_LEFT = 1
export const ZERO_IS_MISSING = 2
export const MISSING_IS_ZERO = 4
export const IS_SET = 8
/** Members of the set go right instead of left. */
export const SET_IS_RIGHT = 16

const MAX_NODES = 5_000_000
/** Real trees have about 10; bounds the time of a row. */
const MAX_DEPTH = 1_000
const MAX_INPUTS = 5_000
/** XGBoost stores category codes in 32-bit floats: 2^24 is the first that equals its successor. */
const MAX_CATEGORIES = 2 ** 24

const numbers = z.array(z.number()).max(MAX_NODES)
const nodes = z.array(z.int().min(0).max(MAX_NODES)).max(MAX_NODES)

/**
 * A sum of decision trees, as XGBoost and LightGBM train them.
 *
 * The nodes of all trees are one list, children after their parents; `roots` has the first node of each tree. A node whose `left`
 * is 0 is a leaf of `value`. Any other node splits input `feature`, at the bound `value` or by the set of category codes
 * `sets[value]`: values less than the bound (xgboost, in 32-bit floats) or at most the bound (lightgbm, in 64-bit floats) go left,
 * others right, and `flags` give the side of missing values.
 *
 * Margin = (`base` + Σ leaves) ÷ `divisor`. Log-odds of the event = `sigmoid` × margin if the objective is logistic; otherwise the
 * margin is the predicted number.
 *
 * @see Chen, Guestrin, XGBoost (2016); Ke and others, LightGBM (2017)
 */
export const TreesModel = z
  .strictObject({
    kind: z.literal('trees'),
    tool: z.enum(['xgboost', 'lightgbm']),
    objective: z.enum(['logistic', 'regression']),
    event: z
      .enum(['bad', 'good'])
      .default('bad')
      .meta({ description: 'The meaning of class 1 of a logistic model' }),
    base: z.number().default(0),
    divisor: z
      .int()
      .min(1)
      .default(1)
      .meta({ description: 'Number of trees if they are averaged, otherwise 1' }),
    sigmoid: z.number().positive().default(1),
    inputs: z
      .array(
        z.strictObject({
          name: InputName,
          categories: z
            .array(z.string().max(200))
            .min(1)
            .max(10_000)
            .optional()
            .meta({ description: 'In the order of their codes, from 0; any other category is missing' }),
          reasonCode: ReasonCode.optional(),
        }),
      )
      .min(1)
      .max(MAX_INPUTS),
    roots: nodes.min(1),
    feature: nodes,
    value: numbers,
    left: nodes,
    right: nodes,
    flags: nodes,
    mean: numbers.optional().meta({
      description: 'Mean of the leaves below each node, for contributions; left out: no contributions',
    }),
    sets: z.array(z.array(z.int().min(0).max(MAX_CATEGORIES))).default([]),
  })
  .superRefine((model, context) => {
    const error = findNodeError(model)
    if (error) context.addIssue({ code: 'custom', message: error.message, path: [...error.path] })
  })

export type TreesModel = z.output<typeof TreesModel>

export function namesOfTrees({ inputs }: TreesModel): ModelNames {
  return {
    inputs: inputs.map(({ name }, at) => ({ name, path: ['inputs', at, 'name'] })),
    reasonCodes: inputs.flatMap(({ reasonCode }, at) =>
      reasonCode === undefined ? [] : [{ code: reasonCode, path: ['inputs', at, 'reasonCode'] }],
    ),
  }
}

/** Returns the first error that would lead a traversal outside of the trees or into a cycle. */
function findNodeError(model: z.output<typeof TreesModel>): ModelError | undefined {
  const { inputs, roots, feature, value, left, right, flags, mean, sets } = model
  const count = value.length
  for (const [member, list] of Object.entries({ feature, left, right, flags, ...(mean && { mean }) }))
    if (list.length !== count)
      return { message: `must have an entry for each of the ${count} nodes`, path: [member] }
  const reached = new Uint8Array(count)
  const depth = new Uint16Array(count)
  const reach = (node: number) => {
    const isFirst = reached[node] === 0
    reached[node] = 1
    return isFirst
  }
  for (const [at, root] of roots.entries()) {
    if (root >= count) return { message: `there is no node ${root}`, path: ['roots', at] }
    if (!reach(root)) return { message: `node ${root} is the root of two trees`, path: ['roots', at] }
  }
  for (let node = 0; node < count; node++) {
    const [l = 0, r = 0] = [left[node], right[node]]
    if (l === 0 && r === 0) continue
    if (l <= node || r <= node || l >= count || r >= count)
      return { message: 'both children must come after their parent', path: ['left', node] }
    if (!reach(l) || !reach(r)) return { message: 'each node must have one parent', path: ['left', node] }
    depth[l] = depth[r] = (depth[node] as number) + 1
    if ((depth[l] as number) > MAX_DEPTH)
      return { message: `a tree is deeper than ${MAX_DEPTH} splits`, path: ['left', node] }
    if ((feature[node] as number) >= inputs.length)
      return { message: `there is no input ${feature[node]}`, path: ['feature', node] }
    if (((flags[node] as number) & IS_SET) !== 0 && sets[value[node] as number] === undefined)
      return { message: `there is no set ${value[node]}`, path: ['value', node] }
  }
  return undefined
}
