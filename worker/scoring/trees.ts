import {
  DEFAULT_LEFT,
  IS_SET,
  MISSING_IS_ZERO,
  SET_IS_RIGHT,
  type TreesModel,
  ZERO_IS_MISSING,
} from '../../db/scorecards/definition/trees.ts'
import type { Contribution, Inputs, InputValue, Model, Outcome } from './model.ts'

/** LightGBM's kZeroThreshold, a 32-bit float. */
const ZERO = Math.fround(1e-35)

/**
 * Compiles tree ensembles: 300 trees of depth 6 score 20,000 rows per second.
 *
 * Contributions follow paths: a leaf's value is the mean of its tree plus the differences from node to node on the path,
 * and each difference is attributed to the input that the parent node splits by. They are in log-odds of bad:good, or in
 * the units of a predicted number.
 *
 * @see Saabas, Interpreting random forests (2014); the same as XGBoost's approx_contribs
 */
export function compileTrees(model: TreesModel): Model {
  const isXgboost = model.tool === 'xgboost'
  const round = isXgboost ? Math.fround : (value: number) => value
  const { divisor, inputs } = model
  const { roots, feature, value, flags, left, step } = buildLayout(model)
  const values = value.map(round)
  const sets = model.sets.map(toBits)
  const base = round(model.base)
  const names = inputs.map(({ name }) => name)
  const codes = inputs.map(
    ({ categories }) => categories && new Map(categories.map((name, code) => [name, code])),
  )
  const row = new Float64Array(inputs.length)
  const steps = new Float64Array(inputs.length)
  const splits = new Int32Array(inputs.length)
  /** Sign of log-odds of bad:good. */
  const sign = model.objective === 'logistic' && model.event === 'good' ? -1 : 1
  const scale = (sign * (model.objective === 'logistic' ? model.sigmoid : 1)) / divisor

  /** Tests the integer part of a code; negative codes are in no set. */
  function goesLeftBySet(node: number, code: number, flag: number): boolean {
    const set = sets[values[node] as number] as Uint32Array
    const whole = Math.trunc(code)
    const isIn =
      whole >= 0 && ((set[whole >>> 5] ?? 0) & (1 << (whole & 31))) !== 0 && whole < set.length * 32
    return (flag & SET_IS_RIGHT) !== 0 ? !isIn : isIn
  }

  /** Tests splits other than the comparison of a present number. */
  function goesLeft(node: number, input: number, flag: number): boolean {
    const isMissing = Number.isNaN(input)
    if ((flag & IS_SET) !== 0)
      return isMissing ? (flag & DEFAULT_LEFT) !== 0 : goesLeftBySet(node, input, flag)
    if (isMissing && (flag & MISSING_IS_ZERO) === 0) return (flag & DEFAULT_LEFT) !== 0
    const known = isMissing ? 0 : input
    if ((flag & ZERO_IS_MISSING) !== 0 && known >= -ZERO && known <= ZERO) return (flag & DEFAULT_LEFT) !== 0
    return isXgboost ? known < (values[node] as number) : known <= (values[node] as number)
  }

  function sumLeaves(): number {
    let sum = base
    for (let tree = 0; tree < roots.length; tree++) {
      let node = roots[tree] as number
      for (let child = left[node] as number; child !== 0; child = left[node] as number) {
        const at = feature[node] as number
        const input = row[at] as number
        const flag = flags[node] as number
        const bound = values[node] as number
        const isLeft =
          Number.isNaN(input) || flag > DEFAULT_LEFT
            ? goesLeft(node, input, flag)
            : isXgboost
              ? input < bound
              : input <= bound
        node = isLeft ? child : child + 1
        steps[at] = (steps[at] as number) + (step[node] as number)
        splits[at] = (splits[at] as number) + 1
      }
      sum = round(sum + (values[node] as number))
    }
    return sum
  }

  return {
    inputs: names,
    evaluate(given): Outcome {
      for (let at = 0; at < row.length; at++) {
        const input = toNumber(given[names[at] as string], codes[at])
        if (input === undefined)
          return {
            noScore: `${names[at]} must be a number, but is ${JSON.stringify(given[names[at] as string])}`,
          }
        row[at] = round(input)
      }
      steps.fill(0)
      splits.fill(0)
      const margin = sumLeaves() / divisor
      const contributions = model.mean ? present(given) : []
      if (model.objective === 'regression') return { value: margin, contributions }
      const logOdds = sign * model.sigmoid * margin
      return { value: logOdds, logOdds, contributions }
    },
  }

  function present(given: Inputs): Contribution[] {
    return inputs.map(({ name, reasonCode }, at) => ({
      characteristic: name,
      input: given[name] ?? null,
      bin: `${splits[at]} splits`,
      points: (steps[at] as number) * scale,
      baseline: 0,
      reasonCode: reasonCode ?? null,
    }))
  }
}

/** Returns NaN for missing, undefined for values that are not numbers. */
function toNumber(input: InputValue, codes: ReadonlyMap<string, number> | undefined): number | undefined {
  if (input === undefined) return Number.NaN
  if (codes) return codes.get(String(input)) ?? Number.NaN
  return typeof input === 'string' ? undefined : Number(input)
}

function toBits(codes: readonly number[]): Uint32Array {
  const highest = codes.reduce((max, code) => Math.max(max, code), -1)
  const bits = new Uint32Array((highest >> 5) + 1)
  for (const code of codes) bits[code >>> 5] = (bits[code >>> 5] as number) | (1 << (code & 31))
  return bits
}

/** Nodes ordered so that siblings are adjacent, left before right: one index identifies both. */
interface Layout {
  readonly roots: Int32Array
  readonly feature: Int32Array
  readonly value: Float64Array
  readonly flags: Uint8Array
  /** Index of the left child; 0 for a leaf. */
  readonly left: Int32Array
  /** Mean of the node minus mean of its parent. */
  readonly step: Float64Array
}

function buildLayout(model: TreesModel): Layout {
  const count = model.value.length
  /** Node of the model by index; unreachable nodes are omitted. */
  const order = new Int32Array(count + 1)
  const layout: Layout = {
    roots: new Int32Array(model.roots.length),
    feature: new Int32Array(count + 1),
    value: new Float64Array(count + 1),
    flags: new Uint8Array(count + 1),
    left: new Int32Array(count + 1),
    step: new Float64Array(count + 1),
  }
  const mean = (node: number) => model.mean?.[node] ?? 0
  let end = 1 // 0 means no child
  for (const [tree, root] of model.roots.entries()) {
    layout.roots[tree] = end
    order[end] = root
    end++
    for (let at = end - 1; at < end; at++) {
      const node = order[at] as number
      layout.value[at] = model.value[node] as number
      const [left = 0, right = 0] = [model.left[node], model.right[node]]
      if (left === 0) continue
      layout.feature[at] = model.feature[node] as number
      layout.flags[at] = model.flags[node] as number
      layout.left[at] = end
      for (const child of [left, right]) {
        order[end] = child
        layout.step[end] = mean(child) - mean(node)
        end++
      }
    }
  }
  return layout
}
