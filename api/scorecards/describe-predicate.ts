import type { Expression } from '../../db/scorecards/definition/expression.ts'
import type { Predicate } from '../../db/scorecards/definition/predicate.ts'

/** Describes a condition: `contacts > 100 and brand in apple, google`. */
export function describePredicate(predicate: Predicate): string {
  if ('all' in predicate) return predicate.all.map(inBrackets).join(' and ')
  if ('any' in predicate) return predicate.any.map(inBrackets).join(' or ')
  if ('not' in predicate) return `not ${inBrackets(predicate.not)}`
  const { input, op } = predicate
  if ('values' in predicate) return `${input} ${op} ${predicate.values.map(String).join(', ')}`
  return 'value' in predicate ? `${input} ${op} ${predicate.value}` : `${input} is ${op}`
}

/** Describes a condition within another one, in parentheses where needed. */
export const inBrackets = (predicate: Predicate): string =>
  'all' in predicate || 'any' in predicate
    ? `(${describePredicate(predicate)})`
    : describePredicate(predicate)

/** Describes points: `-12.5`, or their formula: `10 * min(age, 80)`. */
export function describePoints(expression: Expression): string {
  if (typeof expression === 'number') return String(expression)
  if ('input' in expression) return expression.input
  const { op, args } = expression
  const described = args.map(describePoints)
  if (/^\w/.test(op)) return `${op}(${described.join(', ')})`
  return described.length === 1 ? `${op}${described[0]}` : `(${described.join(` ${op} `)})`
}
