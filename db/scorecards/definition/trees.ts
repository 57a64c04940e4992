import { z } from 'zod'
import { InputName } from './inputs.ts'
import type { ModelError, ModelNames } from './model-errors.ts'
import { ReasonCode } from './points.ts'

/** Bits of `flags`: where a split sends what is not compared with its bound. */
export const DEFAULT_LEFT = 1
export const ZERO_IS_MISSING = 2
export const MISSING_IS_ZERO = 4
export const IS_SET = 8
/** Members of the set go right, not left. */
export const SET_IS_RIGHT = 16

const MOST_NODES = 5_000_000
/** Honest trees have some 10; a row must not take for ever. */
const MOST_DEPTH = 1_000
const MOST_INPUTS = 5_000
/** XGBoost keeps codes of categories in 32-bit floats: 2^24 is the first that it does not know from its neighbour. */
const MOST_CATEGORIES = 2 ** 24

const numbers = z.array(z.number()).max(MOST_NODES)
const nodes = z.array(z.int().min(0).max(MOST_NODES)).max(MOST_NODES)

/**
 * A sum of decision trees, as XGBoost and LightGBM grow them.
 *
 * The nodes of all trees are one list, children behind their parents; `roots` says where each tree begins. A node whose
 * `left` is 0 is a leaf of `value`. Any other splits input `feature`, at the bound `value` or by the set of category codes
 * `sets[value]`: what is less than the bound (xgboost, in 32-bit floats) or at most the bound (lightgbm, in 64-bit floats)
 * goes left, else right, and `flags` say where missing values go.
 *
 * Margin = (`base` + Σ leaves) ÷ `divisor`. Log-odds of the event = `sigmoid` × margin where the objective is logistic;
 * else the margin is the predicted number.
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
      .meta({ description: 'What class 1 of a logistic model is' }),
    base: z.number().default(0),
    divisor: z.int().min(1).default(1).meta({ description: 'Number of trees where they are averaged' }),
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
            .meta({ description: 'In the order of their codes, from 0; any other is missing' }),
          reasonCode: ReasonCode.optional(),
        }),
      )
      .min(1)
      .max(MOST_INPUTS),
    roots: nodes.min(1),
    feature: nodes,
    value: numbers,
    left: nodes,
    right: nodes,
    flags: nodes,
    mean: numbers.optional().meta({
      description: 'Of the leaves below each node, for contributions; left out, there are none',
    }),
    sets: z.array(z.array(z.int().min(0).max(MOST_CATEGORIES))).default([]),
  })
  .superRefine((model, context) => {
    const fault = faultOfNodes(model)
    if (fault) context.addIssue({ code: 'custom', message: fault.message, path: [...fault.path] })
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

/** The first thing by which a walk would leave the trees or never end. */
function faultOfNodes(model: z.output<typeof TreesModel>): ModelError | undefined {
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
      return { message: 'both children must lie behind their parent', path: ['left', node] }
    if (!reach(l) || !reach(r)) return { message: 'each node must have one parent', path: ['left', node] }
    depth[l] = depth[r] = (depth[node] as number) + 1
    if ((depth[l] as number) > MOST_DEPTH)
      return { message: `a tree is deeper than ${MOST_DEPTH} splits`, path: ['left', node] }
    if ((feature[node] as number) >= inputs.length)
      return { message: `there is no input ${feature[node]}`, path: ['feature', node] }
    if (((flags[node] as number) & IS_SET) !== 0 && sets[value[node] as number] === undefined)
      return { message: `there is no set ${value[node]}`, path: ['value', node] }
  }
  return undefined
}
