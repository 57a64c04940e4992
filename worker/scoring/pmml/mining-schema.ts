import type { DataField, DataType, MiningField } from '../../../db/scorecards/definition/pmml.ts'
import type { InputValue } from '../model.ts'
import { NoScore } from './errors.ts'
import { compileInterval } from './expressions.ts'
import type { Field, Program } from './program.ts'
import { convert, readConstant, readThreshold, type Value } from './values.ts'

/** A field's value after the treatment by a MiningSchema. */
interface Prepared {
  readonly value: Value
  readonly isInvalid: boolean
}

/** Treats a value as a MiningSchema specifies: conversion, validity, outliers, missing values, in this order. */
export type Treat = (value: InputValue) => Prepared

const MISSING: Prepared = { value: undefined, isInvalid: false }

/**
 * Compiles the treatment of a field by a model.
 *
 * @param data undefined for a field outside the data dictionary, for which every value is valid.
 * @see https://dmg.org/pmml/v4-4/MiningSchema.html
 */
export function compileTreatment(
  field: MiningField,
  data: DataField | undefined,
  dataType: DataType | undefined,
): Treat {
  const { name } = field
  const isValid = compileValidity(data)
  const isMissing = new Set(
    (data?.missing ?? []).flatMap((text) => {
      const value = convert(text, dataType ?? 'string')
      return Number.isNaN(value) ? [text] : [text, String(value)]
    }),
  )
  const replacement =
    field.missingValueReplacement === undefined
      ? undefined
      : readThreshold(field.missingValueReplacement, dataType)
  const invalidReplacement =
    field.invalidValueReplacement === undefined
      ? undefined
      : readThreshold(field.invalidValueReplacement, dataType)
  const low = field.low ?? Number.NEGATIVE_INFINITY
  const high = field.high ?? Number.POSITIVE_INFINITY

  const missing = (): Prepared => {
    if (field.missing === 'returnInvalid') throw new NoScore(`${name} is required but missing`)
    return replacement === undefined || Number.isNaN(replacement)
      ? MISSING
      : { value: replacement, isInvalid: false }
  }
  const invalid = (raw: number | string | boolean, value: number | string | boolean): Prepared => {
    if (field.invalid === 'asMissing') return missing()
    if (field.invalid === 'asValue') return { value: invalidReplacement, isInvalid: false }
    if (field.invalid === 'asIs' && !Number.isNaN(value)) return { value, isInvalid: true }
    throw new NoScore(`${name} has an invalid value: ${JSON.stringify(raw)}`)
  }

  return (raw) => {
    if (raw === undefined || Number.isNaN(raw)) return missing()
    const value = dataType === undefined ? raw : convert(raw, dataType)
    if (isMissing.size > 0 && isMissing.has(String(Number.isNaN(value) ? raw : value))) return missing()
    if (Number.isNaN(value) || !isValid(value)) return invalid(raw, value)
    if (typeof value === 'number' && (value < low || value > high)) {
      if (field.outliers === 'asMissingValues') return missing()
      if (field.outliers === 'asExtremeValues') return { value: value < low ? low : high, isInvalid: false }
    }
    return { value, isInvalid: false }
  }
}

function compileValidity(data: DataField | undefined): (value: number | string | boolean) => boolean {
  if (!data) return () => true
  const { values = [], invalid = [], intervals = [], dataType } = data
  const valid = new Set<Value>(values.map((value) => readConstant(value, dataType)))
  const wrong = new Set<Value>(invalid.map((value) => readConstant(value, dataType)))
  const within = intervals.map(compileInterval)
  const isOpen = valid.size === 0 && within.length === 0
  return (value) => {
    if (wrong.has(value)) return false
    if (isOpen || valid.has(value)) return true
    return typeof value === 'number' && within.some((holds) => holds(value))
  }
}

/** Whether a model uses a field of its enclosing model unchanged. */
export const isUntreated = (field: MiningField): boolean =>
  field.missing === 'asIs' &&
  field.missingValueReplacement === undefined &&
  field.invalid !== 'asMissing' &&
  field.invalid !== 'asValue' &&
  field.outliers === 'asIs'

/** Treats a field of the enclosing model as an inner model specifies. */
export function treatedField(
  field: MiningField,
  outer: Field,
  data: DataField | undefined,
  program: Program,
): Field {
  const treat = compileTreatment(field, data, outer.dataType)
  return program.lazy(outer.dataType, (frame) => treat(outer.read(frame)).value)
}

/** Whether two models treat a field identically, so that treating it once suffices. */
export const isTreatedAlike = (a: MiningField, b: MiningField | undefined): boolean =>
  b !== undefined &&
  a.missing === b.missing &&
  a.missingValueReplacement === b.missingValueReplacement &&
  a.invalid === b.invalid &&
  a.invalidValueReplacement === b.invalidValueReplacement &&
  a.outliers === b.outliers &&
  a.low === b.low &&
  a.high === b.high
