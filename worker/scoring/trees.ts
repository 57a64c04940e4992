import {
  DEFAULT_LEFT,
  IS_SET,
  MISSING_IS_ZERO,
  SET_IS_RIGHT,
  type TreesModel,
  ZERO_IS_MISSING,
} from '../../db/scorecard/trees.ts'
import type { Contribution, Inputs, InputValue, Model, Outcome } from './model.ts'

/** LightGBM's kZeroThreshold, a 32-bit float. */
const ZERO = Math.fround(1e-35)

/**
 * Makes trees ready: 300 of depth 6 score 20,000 rows a second.
 *
 * Contributions are by paths: a leaf's value is the mean of its tree and the steps from node to node on the way to it,
 * and each step is put down to the input that the node above it splits by. They are in log-odds of bad:good, or in the
 * units of a predicted number.
 *
 * @see Saabas, Interpreting random forests (2014); the same as XGBoost's approx_contribs
 */
export function compileTrees(model: TreesModel): Model {
  const isXgboost = model.tool === 'xgboost'
  const round = isXgboost ? Math.fround : (value: number) => value
  const { roots, divisor, inputs } = model
  const feature = Int32Array.from(model.feature)
  const value = Float64Array.from(model.value, round)
  const left = Int32Array.from(model.left)
  const right = Int32Array.from(model.right)
  const flags = Uint8Array.from(model.flags)
  const mean = model.mean && Float64Array.from(model.mean)
  const sets = model.sets.map(toBits)
  const base = round(model.base)
  const names = inputs.map(({ name }) => name)
  const codes = inputs.map(
    ({ categories }) => categories && new Map(categories.map((name, code) => [name, code])),
  )
  const row = new Float64Array(inputs.length)
  const steps = new Float64Array(inputs.length)
  const splits = new Int32Array(inputs.length)
  /** Of log-odds of bad:good. */
  const sign = model.objective === 'logistic' && model.event === 'good' ? -1 : 1
  const scale = (sign * (model.objective === 'logistic' ? model.sigmoid : 1)) / divisor

  /** By the whole part of a code; below 0 is in no set. */
  function goesLeftBySet(node: number, code: number, flag: number): boolean {
    const set = sets[value[node] as number] as Uint32Array
    const whole = Math.trunc(code)
    const isIn =
      whole >= 0 && ((set[whole >>> 5] ?? 0) & (1 << (whole & 31))) !== 0 && whole < set.length * 32
    return (flag & SET_IS_RIGHT) !== 0 ? !isIn : isIn
  }

  function goesLeft(node: number, flag: number): boolean {
    let input = row[feature[node] as number] as number
    if ((flag & IS_SET) !== 0)
      return Number.isNaN(input) ? (flag & DEFAULT_LEFT) !== 0 : goesLeftBySet(node, input, flag)
    if (Number.isNaN(input)) {
      if ((flag & MISSING_IS_ZERO) === 0) return (flag & DEFAULT_LEFT) !== 0
      input = 0
    }
    if ((flag & ZERO_IS_MISSING) !== 0 && input >= -ZERO && input <= ZERO) return (flag & DEFAULT_LEFT) !== 0
    return isXgboost ? input < (value[node] as number) : input <= (value[node] as number)
  }

  function sumLeaves(): number {
    let sum = base
    for (let tree = 0; tree < roots.length; tree++) {
      let node = roots[tree] as number
      while (left[node] !== 0) {
        const next = goesLeft(node, flags[node] as number) ? left[node] : right[node]
        if (mean) {
          const at = feature[node] as number
          steps[at] = (steps[at] as number) + (mean[next as number] as number) - (mean[node] as number)
          splits[at] = (splits[at] as number) + 1
        }
        node = next as number
      }
      sum = round(sum + (value[node] as number))
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
            noScore: `${names[at]} must be a number, not ${JSON.stringify(given[names[at] as string])}`,
          }
        row[at] = round(input)
      }
      steps.fill(0)
      splits.fill(0)
      const margin = sumLeaves() / divisor
      const contributions = mean ? present(given) : []
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

/** NaN is missing, undefined no number. */
function toNumber(input: InputValue, codes: ReadonlyMap<string, number> | undefined): number | undefined {
  if (input === undefined) return Number.NaN
  if (codes) return codes.get(String(input)) ?? Number.NaN
  return typeof input === 'string' ? undefined : Number(input)
}

function toBits(codes: readonly number[]): Uint32Array {
  const most = codes.reduce((highest, code) => Math.max(highest, code), -1)
  const bits = new Uint32Array((most >> 5) + 1)
  for (const code of codes) bits[code >>> 5] = (bits[code >>> 5] as number) | (1 << (code & 31))
  return bits
}
