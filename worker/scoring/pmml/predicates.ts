import type { Predicate, SimpleOperator } from '../../../db/scorecards/definition/pmml.ts'
import { PmmlError } from './errors.ts'
import type { Context } from './expressions.ts'
import type { Evaluate, Frame } from './program.ts'
import { isSame, readThreshold, type Value } from './values.ts'

/** The three truth values of a predicate, and a fourth for trees: true by a surrogate for a missing value. */
export const FALSE = 0
export const TRUE = 1
export const UNKNOWN = 2
export const TRUE_BY_SURROGATE = 3

export type Truth = typeof FALSE | typeof TRUE | typeof UNKNOWN | typeof TRUE_BY_SURROGATE

export type Test = (frame: Frame) => Truth

type Of<E extends Predicate['element']> = Extract<Predicate, { element: E }>

/** Compiles a predicate. Comparisons with missing are unknown. */
export function compilePredicate(predicate: Predicate, context: Context): Test {
  return context.program.nested(() => {
    switch (predicate.element) {
      case 'True':
        return () => TRUE
      case 'False':
        return () => FALSE
      case 'SimplePredicate':
        return compileSimple(predicate, context)
      case 'SimpleSetPredicate':
        return compileSet(predicate, context)
      case 'CompoundPredicate':
        return compileCompound(predicate, context)
    }
  })
}

const ORDERED: Partial<Record<SimpleOperator, true>> = {
  lessThan: true,
  lessOrEqual: true,
  greaterThan: true,
  greaterOrEqual: true,
}

function compileSimple({ field: name, operator, value }: Of<'SimplePredicate'>, context: Context): Test {
  const { read, dataType } = context.scope.find(name)
  if (operator === 'isMissing') return (frame) => (read(frame) === undefined ? TRUE : FALSE)
  if (operator === 'isNotMissing') return (frame) => (read(frame) === undefined ? FALSE : TRUE)
  if (value === undefined) throw new PmmlError(`the predicate of ${name} has no value to compare with`, name)
  const wanted = readThreshold(value, dataType)
  if (ORDERED[operator] && (dataType === 'string' || dataType === 'boolean'))
    throw new PmmlError(`${name} is a ${dataType}, for which ${operator} is not defined`, name)
  if (ORDERED[operator] && Number.isNaN(wanted))
    throw new PmmlError(`${name} is compared with NaN, which is not ordered`, name)
  return compare(read, operator, wanted)
}

function compare(read: Evaluate, operator: SimpleOperator, wanted: number | string | boolean): Test {
  const holds: Partial<Record<SimpleOperator, (value: number | string | boolean) => boolean>> = {
    equal: (value) => isSame(value, wanted),
    notEqual: (value) => !isSame(value, wanted),
    lessThan: (value) => value < wanted,
    lessOrEqual: (value) => value <= wanted,
    greaterThan: (value) => value > wanted,
    greaterOrEqual: (value) => value >= wanted,
  }
  const test = holds[operator]
  if (!test) throw new PmmlError(`unknown operator ${operator}`)
  return (frame) => {
    const value = read(frame)
    return value === undefined ? UNKNOWN : test(value) ? TRUE : FALSE
  }
}

function compileSet({ field, operator, values }: Of<'SimpleSetPredicate'>, context: Context): Test {
  const { read, dataType } = context.scope.find(field)
  const set = new Set<Value>(values.map((value) => readThreshold(value, dataType ?? 'string')))
  const [inside, outside] = operator === 'isIn' ? ([TRUE, FALSE] as const) : ([FALSE, TRUE] as const)
  return (frame) => {
    const value = read(frame)
    if (value === undefined) return UNKNOWN
    return set.has(dataType === undefined ? String(value) : value) ? inside : outside
  }
}

function compileCompound({ operator, predicates }: Of<'CompoundPredicate'>, context: Context): Test {
  const tests = predicates.map((predicate) => compilePredicate(predicate, context))
  switch (operator) {
    case 'and':
      return decidedBy(tests, FALSE)
    case 'or':
      return decidedBy(tests, TRUE)
    case 'xor':
      return (frame) => {
        let odd = false
        for (const test of tests) {
          const truth = test(frame)
          if (truth === UNKNOWN) return UNKNOWN
          if (truth !== FALSE) odd = !odd
        }
        return odd ? TRUE : FALSE
      }
    case 'surrogate':
      return (frame) => {
        for (const [at, test] of tests.entries()) {
          const truth = test(frame)
          if (truth === UNKNOWN) continue
          return truth !== FALSE && at > 0 ? TRUE_BY_SURROGATE : truth
        }
        return UNKNOWN
      }
  }
}

/** Returns `decisive` if any test does, otherwise unknown if any test is unknown. */
function decidedBy(tests: readonly Test[], decisive: typeof TRUE | typeof FALSE): Test {
  const otherwise = decisive === TRUE ? FALSE : TRUE
  return (frame) => {
    let result: Truth = otherwise
    for (const test of tests) {
      const truth = test(frame)
      if (truth === UNKNOWN) result = UNKNOWN
      else if ((truth === FALSE ? FALSE : TRUE) === decisive) return decisive
    }
    return result
  }
}

/** Whether a predicate is true; unknown counts as false. */
export const holds = (truth: Truth): boolean => truth === TRUE || truth === TRUE_BY_SURROGATE
