import type { DataField, Interval, MiningField } from '../../../../db/scorecards/definition/pmml.ts'
import { InvalidResult, toType, type Value } from './values.ts'

export interface Prepared {
  readonly value: Value
  /** Whether the value is invalid and was left unchanged. */
  readonly isInvalid: boolean
}

/**
 * Prepares an input value: missing, invalid, outlier, replacement, in this order.
 *
 * @see https://dmg.org/pmml/v4-4-1/MiningSchema.html
 * @see https://dmg.org/pmml/v4-4-1/DataDictionary.html
 */
export function prepareValue(raw: Value, field: MiningField, data: DataField): Prepared {
  if (raw === undefined || isListed(raw, data.missing, data)) return asMissing(field, data)
  const value = toType(raw, data.dataType)
  if (value !== undefined && isValid(value, data)) return treatOutlier(value, field, data)
  switch (field.invalid) {
    case 'returnInvalid':
      throw new InvalidResult(`${field.name} is invalid`)
    case 'asMissing':
      return asMissing(field, data)
    case 'asValue':
      return { value: constant(field.invalidValueReplacement, data), isInvalid: false }
    case 'asIs':
      // asIs cannot apply to a value of another type
      if (value === undefined) throw new InvalidResult(`${field.name} is not of type ${data.dataType}`)
      return { value, isInvalid: true }
  }
}

/** Prepares a value that the enclosing model has already prepared. */
export function prepareInner(value: Value, field: MiningField, data: DataField): Value {
  return value === undefined ? asMissing(field, data).value : treatOutlier(value, field, data).value
}

function asMissing(field: MiningField, data: DataField): Prepared {
  if (field.missing === 'returnInvalid') throw new InvalidResult(`${field.name} is missing`)
  return { value: constant(field.missingValueReplacement, data), isInvalid: false }
}

const constant = (text: string | undefined, data: DataField): Value =>
  text === undefined ? undefined : toType(text, data.dataType)

function isListed(raw: number | string | boolean, list: readonly string[] | undefined, data: DataField) {
  const value = toType(raw, data.dataType)
  return (list ?? []).some(
    (text) => text === String(raw) || (value !== undefined && value === toType(text, data.dataType)),
  )
}

function isValid(value: number | string | boolean, data: DataField): boolean {
  if (isListed(value, data.invalid, data)) return false
  if (isListed(value, data.values, data)) return true
  if (data.intervals) return typeof value === 'number' && data.intervals.some((one) => holds(one, value))
  return data.values === undefined
}

/** Whether a number lies within an interval. */
export function holds({ closure, left, right }: Interval, value: number): boolean {
  const aboveLeft = left === undefined || (closure.startsWith('closed') ? value >= left : value > left)
  const belowRight = right === undefined || (closure.endsWith('Closed') ? value <= right : value < right)
  return aboveLeft && belowRight
}

function treatOutlier(value: number | string | boolean, field: MiningField, data: DataField): Prepared {
  const { outliers, low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY } = field
  if (outliers === 'asIs' || typeof value !== 'number' || (value >= low && value <= high))
    return { value, isInvalid: false }
  if (outliers === 'asMissingValues') return asMissing(field, data)
  return { value: value < low ? low : high, isInvalid: false }
}
