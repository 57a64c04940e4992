import type { DataType } from '../../../../db/scorecards/definition/pmml.ts'

/** A value of a field; undefined is missing. */
export type Value = number | string | boolean | undefined

/** The result is invalid, as with returnInvalid of the standard. */
export class InvalidResult extends Error {}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Parses or casts to a data type; undefined if the value is not of that type. */
export function toType(value: number | string | boolean, dataType: DataType): Value {
  if (dataType === 'string') return String(value)
  if (dataType === 'boolean') {
    if (value === true || value === 1 || value === 'true' || value === '1') return true
    return value === false || value === 0 || value === 'false' || value === '0' ? false : undefined
  }
  if (dataType !== 'integer' && dataType !== 'float' && dataType !== 'double') return undefined
  const number = typeof value === 'string' ? parseNumber(value) : Number(value)
  if (number === undefined) return undefined
  if (dataType === 'integer') return Number.isInteger(number) ? number : undefined
  return dataType === 'float' ? Math.fround(number) : number
}

/** Parses decimal notation. */
export function parseNumber(text: string): number | undefined {
  return DECIMAL.test(text.trim()) ? Number(text) : undefined
}

/** Casts the result of an expression. @throws InvalidResult if it is not a value of that type. */
export function castTo(value: Value, dataType: DataType | undefined): Value {
  if (value === undefined || dataType === undefined) return value
  const cast = toType(value, dataType)
  if (cast === undefined) throw new InvalidResult(`${value} is not of type ${dataType}`)
  return cast
}

/** @throws InvalidResult if the value is not a number. */
export function numberOf(value: number | string | boolean): number {
  if (typeof value === 'number') return value
  const number = typeof value === 'string' ? parseNumber(value) : Number(value)
  if (number === undefined) throw new InvalidResult(`${value} is not a number`)
  return number
}

/** Whether a field's value equals a constant of the file, parsed by the field's type. */
export function equalsText(value: number | string | boolean, text: string, dataType?: DataType): boolean {
  if (typeof value === 'string') return value === text
  if (typeof value === 'boolean') return value === toType(text, 'boolean')
  return value === toType(text, dataType === 'float' ? 'float' : 'double')
}
