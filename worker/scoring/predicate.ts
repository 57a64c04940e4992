import type { Predicate } from '../../db/scorecards/definition/predicate.ts'
import type { Inputs, InputValue } from './model.ts'

/** Whether a condition holds; undefined where a missing input leaves that open. */
export type Condition = (inputs: Inputs) => boolean | undefined

/** Makes a predicate ready: `and`, `or` and `not` over what may be unknown are as in SQL. */
export function compilePredicate(predicate: Predicate): Condition {
  if ('all' in predicate) return every(predicate.all.map(compilePredicate), false)
  if ('any' in predicate) return every(predicate.any.map(compilePredicate), true)
  if ('not' in predicate) {
    const condition = compilePredicate(predicate.not)
    return (inputs) => {
      const holds = condition(inputs)
      return holds === undefined ? undefined : !holds
    }
  }
  const { input } = predicate
  if ('values' in predicate) {
    const values = new Set<InputValue>(predicate.values)
    const wanted = predicate.op === 'in'
    return (inputs) => {
      const value = inputs[input]
      return value === undefined ? undefined : values.has(value) === wanted
    }
  }
  if (!('value' in predicate)) {
    const wanted = predicate.op === 'known'
    return (inputs) => (inputs[input] !== undefined) === wanted
  }
  const { value: bound } = predicate
  const compare = COMPARE[predicate.op]
  return (inputs) => {
    const value = inputs[input]
    // a number is neither more nor less than a text
    return value === undefined || typeof value !== typeof bound ? undefined : compare(value, bound)
  }
}

type Known = number | string | boolean

const COMPARE: Record<'=' | '!=' | '<' | '<=' | '>' | '>=', (a: Known, b: Known) => boolean> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

/** `decisive` as soon as one is; unknown if one is and none decides. */
const every =
  (conditions: readonly Condition[], decisive: boolean): Condition =>
  (inputs) => {
    let result: boolean | undefined = !decisive
    for (const condition of conditions) {
      const holds = condition(inputs)
      if (holds === decisive) return decisive
      if (holds === undefined) result = undefined
    }
    return result
  }
