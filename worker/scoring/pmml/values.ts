import type { DataType } from '../../../db/scorecards/definition/pmml.ts'
import { NoScore, PmmlFault } from './faults.ts'

/** A value of a field; undefined is missing. Dates and times are text as in ISO 8601, so that their order is that of text. */
export type Value = number | string | boolean | undefined

const TRUE = new Set(['true', '1'])
const FALSE = new Set(['false', '0'])

const MOMENTS: Partial<Record<DataType, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\d(\.\d+)?$/,
  dateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?$/,
}

/** The value as the data type has it; NaN where it is no value of that type. Never missing. */
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
      return typeof value === 'string' && MOMENTS[dataType]?.test(value) ? value : Number.NaN
  }
}

/** Decimal notation only: '' and '0x10' are no numbers. */
export function readNumber(text: string): number {
  return /^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$/.test(text) ? Number(text) : Number.NaN
}

const NUMERIC: ReadonlySet<DataType> = new Set(['integer', 'float', 'double'])

/** Numbers of XML Schema beside the decimal ones. Constants of a model can be such, values of fields cannot. */
const SPECIAL_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['INF', Number.POSITIVE_INFINITY],
  ['-INF', Number.NEGATIVE_INFINITY],
  ['NaN', Number.NaN],
])

/**
 * What a field is compared with, or replaced by: as `readConstant`, but whole numbers may be compared with decimal ones, as
 * trees split integer fields at 2.5.
 */
export const readThreshold = (text: string, dataType: DataType | undefined): number | string | boolean =>
  readConstant(text, dataType === 'integer' ? 'double' : dataType)

/** A constant of the model, as a value of a data type; without one, a number where it looks like one, and no code: 007. */
export function readConstant(text: string, dataType: DataType | undefined): number | string | boolean {
  if (dataType === undefined) {
    const number = readNumber(text)
    return Number.isNaN(number) || /^\s*[-+]?0\d/.test(text) ? text : number
  }
  const special = NUMERIC.has(dataType) ? SPECIAL_NUMBERS.get(text.trim()) : undefined
  if (special !== undefined) return special
  const value = convert(dataType === 'string' ? text : text.trim(), dataType)
  if (Number.isNaN(value)) throw new PmmlFault(`${JSON.stringify(text)} is no ${dataType}`, text)
  return value
}

/** What an expression gave, as the data type of the field that it is for. */
export function cast(value: Value, dataType: DataType | undefined, name: string): Value {
  if (value === undefined || dataType === undefined) return value
  const converted = convert(value, dataType)
  if (Number.isNaN(converted)) throw new NoScore(`${name} would be ${value}, which is no ${dataType}`)
  return converted
}

/** @throws NoScore where it is no number. */
export function asNumber(value: number | string | boolean): number {
  if (typeof value === 'number') return value
  const number = typeof value === 'string' ? readNumber(value) : Number(value)
  if (Number.isNaN(number)) throw new NoScore(`${JSON.stringify(value)} is no number`)
  return number
}

/** Equality across types: the number 1 is the text '1' and the boolean true is the text 'true'. */
export function isSame(a: number | string | boolean, b: number | string | boolean): boolean {
  if (typeof a === typeof b) return a === b
  if (typeof a === 'boolean' || typeof b === 'boolean') return convert(a, 'boolean') === convert(b, 'boolean')
  return Number(a) === Number(b)
}
