import type { Predicate } from '../../db/scorecards/definition/predicate.ts'
import type { Inputs, InputValue } from './model.ts'

/** Whether a condition holds; undefined if that depends on a missing input. */
export type Condition = (inputs: Inputs) => boolean | undefined

/** Compiles a predicate. `and`, `or` and `not` follow the three-valued logic of SQL. */
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
    // values of different types have no order
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

/** Returns `decisive` if any condition does, otherwise undefined if any condition is unknown. */
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
