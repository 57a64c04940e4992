import type { DataType } from '../../../db/scorecards/definition/pmml.ts'
import { NoScore, PmmlError } from './errors.ts'

/** A value of a field; undefined is missing. Dates and times are ISO 8601 strings, so that they sort as strings. */
export type Value = number | string | boolean | undefined

const TRUE = new Set(['true', '1'])
const FALSE = new Set(['false', '0'])

const DATE_TIMES: Partial<Record<DataType, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\d(\.\d+)?$/,
  dateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?$/,
}

/** Converts a value to a data type; NaN if it is not a value of that type. Never missing. */
export function convert(value: number | string | boolean, dataType: DataType): number | string | boolean {
  switch (dataType) {
    case 'string':
      return String(value)
    case 'boolean': {
      const text = String(value)
      return TRUE.has(text) || (!FALSE.has(text) && Number.NaN)
    }
    case 'integer':
    case 'float':
    case 'double': {
      const number = typeof value === 'string' ? readNumber(value) : Number(value)
      if (dataType === 'integer') return Number.isInteger(number) ? number : Number.NaN
      return dataType === 'float' ? Math.fround(number) : number
    }
    default:
      return typeof value === 'string' && DATE_TIMES[dataType]?.test(value) ? value : Number.NaN
  }
}

/** Parses decimal notation only: '' and '0x10' are NaN. */
export function readNumber(text: string): number {
  return /^\s*[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*$/.test(text) ? Number(text) : Number.NaN
}

const NUMERIC: ReadonlySet<DataType> = new Set(['integer', 'float', 'double'])

/** Special numbers of XML Schema. Only constants of a model can have them, not values of fields. */
const SPECIAL_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['INF', Number.POSITIVE_INFINITY],
  ['-INF', Number.NEGATIVE_INFINITY],
  ['NaN', Number.NaN],
])

/**
 * Parses a constant that a field is compared with or replaced by. Like `readConstant`, but integer fields may be compared
 * with decimal numbers, as trees split them at 2.5.
 */
export const readThreshold = (text: string, dataType: DataType | undefined): number | string | boolean =>
  readConstant(text, dataType === 'integer' ? 'double' : dataType)

/** Parses a constant of the model. Without a data type, decimal notation is a number, except codes such as 007. */
export function readConstant(text: string, dataType: DataType | undefined): number | string | boolean {
  if (dataType === undefined) {
    const number = readNumber(text)
    return Number.isNaN(number) || /^\s*[-+]?0\d/.test(text) ? text : number
  }
  const special = NUMERIC.has(dataType) ? SPECIAL_NUMBERS.get(text.trim()) : undefined
  if (special !== undefined) return special
  const value = convert(dataType === 'string' ? text : text.trim(), dataType)
  if (Number.isNaN(value)) throw new PmmlError(`${JSON.stringify(text)} is not of type ${dataType}`, text)
  return value
}

/** Casts the result of an expression to the data type of its field. */
export function cast(value: Value, dataType: DataType | undefined, name: string): Value {
  if (value === undefined || dataType === undefined) return value
  const converted = convert(value, dataType)
  if (Number.isNaN(converted))
    throw new NoScore(`${name} would be ${value}, which is not of type ${dataType}`)
  return converted
}

/** @throws NoScore if the value is not a number. */
export function asNumber(value: number | string | boolean): number {
  if (typeof value === 'number') return value
  const number = typeof value === 'string' ? readNumber(value) : Number(value)
  if (Number.isNaN(number)) throw new NoScore(`${JSON.stringify(value)} is not a number`)
  return number
}

/** Compares across types: the number 1 equals the text '1' and the boolean true equals the text 'true'. */
export function isSame(a: number | string | boolean, b: number | string | boolean): boolean {
  if (typeof a === typeof b) return a === b
  if (typeof a === 'boolean' || typeof b === 'boolean') return convert(a, 'boolean') === convert(b, 'boolean')
  return Number(a) === Number(b)
}
