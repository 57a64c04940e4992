import type { Expression } from '../../../../db/scorecards/definition/pmml.ts'
import { type Fields, findValue, isInvalid, within } from './fields.ts'
import { applyFunction, truthOf } from './functions.ts'
import { holds } from './mining-schema.ts'
import {
  castTo,
  equalsText,
  InvalidResult,
  numberOf,
  parseNumber,
  type toType,
  type Value,
} from './values.ts'

/** Evaluates an expression. @see https://dmg.org/pmml/v4-4-1/Transformations.html */
export function evaluateExpression(expression: Expression, fields: Fields): Value {
  switch (expression.element) {
    case 'Constant': {
      const { value, dataType } = expression
      if (value === undefined) return undefined
      return dataType === undefined ? untyped(value) : castTo(value, dataType)
    }
    case 'FieldRef':
      return findValue(fields, expression.field) ?? untyped(expression.mapMissingTo)
    case 'Apply':
      return evaluateApply(expression, fields)
    case 'NormContinuous':
      return evaluateNorm(expression, fields)
    case 'NormDiscrete': {
      const value = findValue(fields, expression.field)
      if (value === undefined) return expression.mapMissingTo
      return equalsText(value, expression.value) ? 1 : 0
    }
    case 'Discretize': {
      const value = findValue(fields, expression.field)
      const { dataType = 'string', mapMissingTo, defaultValue, bins } = expression
      if (value === undefined) return typed(mapMissingTo, dataType)
      const bin = bins.find(({ interval }) => holds(interval, numberOf(value)))
      return typed(bin ? bin.value : defaultValue, dataType)
    }
    case 'MapValues': {
      const values = expression.fields.map((field) => findValue(fields, field))
      const { dataType = 'string', mapMissingTo, defaultValue, rows } = expression
      if (values.includes(undefined)) return typed(mapMissingTo, dataType)
      const row = rows.find((cells) =>
        values.every((value, at) => value !== undefined && equalsText(value, cells[at] ?? '')),
      )
      return typed(row ? row.at(-1) : defaultValue, dataType)
    }
  }
}

/** A constant without a data type is a number if it is written like one. */
const untyped = (text: string | undefined): Value =>
  text === undefined ? undefined : (parseNumber(text) ?? text)

const typed = (text: string | undefined, dataType: 'string' | Parameters<typeof toType>[1]): Value =>
  text === undefined ? undefined : castTo(text, dataType)

function evaluateNorm(
  { field, norms, outliers, mapMissingTo }: Extract<Expression, { element: 'NormContinuous' }>,
  fields: Fields,
): Value {
  const value = findValue(fields, field)
  if (value === undefined) return mapMissingTo
  const x = numberOf(value)
  const first = norms[0]
  const last = norms.at(-1)
  if (!first || !last) throw new Error('no norms')
  const isOutlier = x < first.orig || x > last.orig
  if (isOutlier && outliers === 'asMissingValues') return undefined
  if (isOutlier && outliers === 'asExtremeValues') return x < first.orig ? first.norm : last.norm
  // extrapolates the first or last segment
  const to = Math.max(
    1,
    norms.findIndex(({ orig }, at) => at > 0 && (x <= orig || at === norms.length - 1)),
  )
  const [a, b] = [norms[to - 1], norms[to]]
  if (!a || !b) throw new Error('no norms')
  return a.norm + ((x - a.orig) / (b.orig - a.orig)) * (b.norm - a.norm)
}

function evaluateApply(apply: Extract<Expression, { element: 'Apply' }>, fields: Fields): Value {
  const { mapMissingTo, defaultValue } = apply
  if (apply.function === 'isValid' || apply.function === 'isNotValid') {
    const [argument] = apply.arguments
    const isValid =
      argument?.element === 'FieldRef' &&
      findValue(fields, argument.field) !== undefined &&
      !isInvalid(fields, argument.field)
    return isValid === (apply.function === 'isValid')
  }
  const values = argumentsOf(apply, fields)
  if (mapMissingTo !== undefined && values.includes(undefined)) return untyped(mapMissingTo)
  const result = resultOf(apply, values, fields)
  return result ?? untyped(defaultValue)
}

/** Evaluates the arguments; for `if`, only the condition and the selected branch. */
function argumentsOf(apply: Extract<Expression, { element: 'Apply' }>, fields: Fields): Value[] {
  if (apply.function !== 'if') return apply.arguments.map((one) => evaluateExpression(one, fields))
  const [condition, ...branches] = apply.arguments
  if (!condition) throw new Error('no condition')
  const truth = truthOf(evaluateExpression(condition, fields))
  if (truth === undefined) return [undefined]
  const branch = branches[truth ? 0 : 1]
  return branch ? [truth, evaluateExpression(branch, fields)] : [truth]
}

function resultOf(
  apply: Extract<Expression, { element: 'Apply' }>,
  values: readonly Value[],
  fields: Fields,
): Value {
  if (apply.function === 'if') return values[1]
  const defined = fields.functions.get(apply.function)
  if (defined) {
    const inner = within(fields)
    for (const [at, { name, dataType }] of defined.parameters.entries())
      inner.values.set(name, castTo(values[at], dataType))
    return castTo(evaluateExpression(defined.expression, inner), defined.dataType)
  }
  const result = applyFunction(apply.function, values)
  if (typeof result !== 'number' || Number.isFinite(result)) return result
  if (apply.invalid === 'asIs') return result
  if (apply.invalid === 'asMissing') return undefined
  throw new InvalidResult(`${apply.function} gives ${result}`)
}
