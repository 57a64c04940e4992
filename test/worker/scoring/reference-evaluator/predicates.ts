import type { Predicate } from '../../../../db/scorecards/definition/pmml.ts'
import { type Fields, findType, findValue } from './fields.ts'
import { equalsText, InvalidResult, toType } from './values.ts'

/** Three-valued logic: undefined is unknown. */
export type Truth = boolean | undefined

/** Evaluates a predicate in three-valued logic. @see https://dmg.org/pmml/v4-4-1/TreeModel.html, Predicates */
export function evaluatePredicate(predicate: Predicate, fields: Fields): Truth {
  switch (predicate.element) {
    case 'True':
      return true
    case 'False':
      return false
    case 'SimplePredicate':
      return evaluateSimple(predicate, fields)
    case 'SimpleSetPredicate': {
      const value = findValue(fields, predicate.field)
      if (value === undefined) return undefined
      const isIn = predicate.values.some((text) => equalsText(value, text, findType(fields, predicate.field)))
      return predicate.operator === 'isIn' ? isIn : !isIn
    }
    case 'CompoundPredicate': {
      const truths = predicate.predicates.map((one) => evaluatePredicate(one, fields))
      return COMPOUNDS[predicate.operator](truths)
    }
  }
}

/** Truth tables of compound predicates. */
const COMPOUNDS: Record<'and' | 'or' | 'xor' | 'surrogate', (truths: readonly Truth[]) => Truth> = {
  and: (truths) => (truths.includes(false) ? false : truths.includes(undefined) ? undefined : true),
  or: (truths) => (truths.includes(true) ? true : truths.includes(undefined) ? undefined : false),
  xor: (truths) =>
    truths.includes(undefined) ? undefined : truths.filter((truth) => truth === true).length % 2 === 1,
  surrogate: (truths) => truths.find((truth) => truth !== undefined),
}

function evaluateSimple(
  { field, operator, value: text = '' }: Extract<Predicate, { element: 'SimplePredicate' }>,
  fields: Fields,
): Truth {
  const value = findValue(fields, field)
  if (operator === 'isMissing') return value === undefined
  if (operator === 'isNotMissing') return value !== undefined
  if (value === undefined) return undefined
  const dataType = findType(fields, field)
  if (operator === 'equal') return equalsText(value, text, dataType)
  if (operator === 'notEqual') return !equalsText(value, text, dataType)
  const threshold = toType(text, dataType === 'float' ? 'float' : 'double')
  if (typeof value !== 'number' || typeof threshold !== 'number') throw new InvalidResult('no order')
  if (operator === 'lessThan') return value < threshold
  if (operator === 'lessOrEqual') return value <= threshold
  return operator === 'greaterThan' ? value > threshold : value >= threshold
}
