import type { Predicate, SimpleOperator } from '../../../db/scorecards/definition/pmml.ts'

/** Lists the fields that a predicate reads, each once, in order of occurrence. */
export function fieldsOfPredicate(predicate: Predicate): string[] {
  if (predicate.element === 'CompoundPredicate')
    return [...new Set(predicate.predicates.flatMap(fieldsOfPredicate))]
  return 'field' in predicate ? [predicate.field] : []
}

const SIGNS: Partial<Record<SimpleOperator, string>> = {
  equal: '=',
  notEqual: '≠',
  lessThan: '<',
  lessOrEqual: '≤',
  greaterThan: '>',
  greaterOrEqual: '≥',
}

/**
 * Describes a predicate for a person: as a bin if it reads one field (`(18, 29]`, `marketing`, `missing`, `else`),
 * otherwise as an expression with field names.
 */
export function describePredicate(predicate: Predicate): string {
  return describe(predicate, fieldsOfPredicate(predicate).length > 1)
}

function describe(predicate: Predicate, withNames: boolean): string {
  const name = withNames && 'field' in predicate ? `${predicate.field} ` : ''
  switch (predicate.element) {
    case 'True':
      return 'else'
    case 'False':
      return 'never'
    case 'SimpleSetPredicate':
      return `${name}${predicate.operator === 'isIn' ? '' : 'not '}${predicate.values.join(', ')}`
    case 'SimplePredicate': {
      const { operator, value } = predicate
      if (operator === 'isMissing') return `${name}missing`
      if (operator === 'isNotMissing') return `${name}not missing`
      return operator === 'equal' && !withNames ? `${value}` : `${name}${SIGNS[operator]} ${value}`
    }
    case 'CompoundPredicate':
      return (withNames ? undefined : describeInterval(predicate)) ?? describeCompound(predicate, withNames)
  }
}

function describeCompound(
  { operator, predicates }: Extract<Predicate, { element: 'CompoundPredicate' }>,
  withNames: boolean,
): string {
  const word = operator === 'surrogate' ? ' or, if missing, ' : ` ${operator} `
  return predicates
    .map((inner) => {
      const text = describe(inner, withNames)
      return inner.element === 'CompoundPredicate' && withNames ? `(${text})` : text
    })
    .join(word)
}

/** Describes a conjunction of two bounds as an interval; undefined for other predicates. */
function describeInterval({
  operator,
  predicates,
}: Extract<Predicate, { element: 'CompoundPredicate' }>): string | undefined {
  if (operator !== 'and' || predicates.length !== 2) return undefined
  let low: string | undefined
  let high: string | undefined
  for (const predicate of predicates) {
    if (predicate.element !== 'SimplePredicate') return undefined
    if (predicate.operator === 'greaterThan') low = `(${predicate.value}`
    if (predicate.operator === 'greaterOrEqual') low = `[${predicate.value}`
    if (predicate.operator === 'lessThan') high = `${predicate.value})`
    if (predicate.operator === 'lessOrEqual') high = `${predicate.value}]`
  }
  return low !== undefined && high !== undefined ? `${low}, ${high}` : undefined
}
