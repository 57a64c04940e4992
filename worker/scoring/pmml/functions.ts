import { MAX_TEXT } from '../../../db/scorecards/definition/text-limits.ts'
import { ROUND } from '../round.ts'
import {
  compileDateTimePattern,
  daysSinceYear,
  secondsSinceMidnight,
  secondsSinceYear,
} from './date-times.ts'
import { NoScore, PmmlError } from './errors.ts'
import { erf, normalCumulative, normalDensity, normalQuantile } from './normal-distribution.ts'
import { compileNumberPattern, compilePattern, type Pattern } from './patterns.ts'
import { asNumber, isSame, type Value } from './values.ts'

type Known = number | string | boolean

/** A built-in function of evaluated arguments. */
interface BuiltIn {
  /** Minimum and maximum number of arguments. */
  readonly arity: readonly [number, number]
  readonly call: (...args: never[]) => Value
  /** Whether the function handles missing arguments; otherwise a missing argument makes the result missing. */
  readonly takesMissing?: true
  /** Argument that must be a constant, and its compilation. */
  readonly pattern?: { readonly at: number; readonly compile: (pattern: string) => unknown }
}

const numeric = (arity: number, compute: (...args: number[]) => number): BuiltIn => ({
  arity: [arity, arity],
  call: (...args: Known[]) => compute(...args.map(asNumber)),
})

/** Aggregates the arguments that are not missing; missing if all are. */
const aggregate = (compute: (values: number[]) => number): BuiltIn => ({
  arity: [1, 10_000],
  takesMissing: true,
  call: (...args: Value[]) => {
    const values = args.filter((value) => value !== undefined).map(asNumber)
    return values.length === 0 ? undefined : compute(values)
  },
})

const comparison = (holds: (a: Known, b: Known) => boolean): BuiltIn => ({ arity: [2, 2], call: holds })

/** Orders strings by code units, other values as numbers. */
const orderComparison = (holds: (order: number) => boolean): BuiltIn =>
  comparison((a, b) => {
    if (typeof a === 'string' && typeof b === 'string') return holds(a < b ? -1 : a > b ? 1 : 0)
    return holds(asNumber(a) - asNumber(b))
  })

/** Returns `decisive` if any argument equals it, otherwise missing if any argument is missing. */
const logical = (decisive: boolean): BuiltIn => ({
  arity: [2, 10_000],
  takesMissing: true,
  call: (...args: Value[]) => {
    if (args.some((value) => value !== undefined && isSame(value, decisive))) return decisive
    return args.includes(undefined) ? undefined : !decisive
  },
})

const missingTest = (answer: (value: Value) => boolean): BuiltIn => ({
  arity: [1, 1],
  takesMissing: true,
  call: answer,
})

const textFunction = (compute: (text: string) => Value): BuiltIn => ({
  arity: [1, 1],
  call: (value: Known) => compute(String(value)),
})

const isAmong = (value: Known, list: readonly Known[]) => list.some((candidate) => isSame(candidate, value))

/** Stops once the result is too long, which the step that calls the function rejects. */
function concat(...args: Known[]): string {
  let text = ''
  for (const arg of args) {
    text += arg
    if (text.length > MAX_TEXT) break
  }
  return text
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}

/** Substring from a 1-based position, as in the standard. Engines disagree on positions before 1, which are rejected. */
function substring(text: Known, from: Known, length: Known): string {
  const [start, count] = [asNumber(from), asNumber(length)]
  if (!Number.isInteger(start) || !Number.isInteger(count) || start < 1 || count < 0)
    throw new NoScore(
      `substring of ${count} characters from position ${start} is invalid: positions start at 1`,
    )
  return String(text).slice(start - 1, start - 1 + count)
}

/**
 * The built-in functions of PMML except `if`, `isValid` and `isNotValid`, which need more than argument values.
 *
 * @see https://dmg.org/pmml/v4-4/BuiltinFunctions.html
 */
const BUILT_INS: Record<string, BuiltIn> = {
  '+': numeric(2, (a = 0, b = 0) => a + b),
  '-': numeric(2, (a = 0, b = 0) => a - b),
  '*': numeric(2, (a = 0, b = 0) => a * b),
  '/': numeric(2, (a = 0, b = 0) => a / b),
  min: aggregate((values) => Math.min(...values)),
  max: aggregate((values) => Math.max(...values)),
  sum: aggregate(sum),
  avg: aggregate((values) => sum(values) / values.length),
  median: aggregate(median),
  product: aggregate((values) => values.reduce((total, value) => total * value, 1)),
  log10: numeric(1, Math.log10),
  ln: numeric(1, Math.log),
  sqrt: numeric(1, Math.sqrt),
  abs: numeric(1, Math.abs),
  exp: numeric(1, Math.exp),
  pow: numeric(2, Math.pow),
  threshold: numeric(2, (x = 0, y = 0) => (x > y ? 1 : 0)),
  floor: numeric(1, Math.floor),
  ceil: numeric(1, Math.ceil),
  round: numeric(1, Math.round),
  rint: numeric(1, ROUND.halfEven),
  modulo: numeric(2, (a = 0, b = 0) => a - Math.floor(a / b) * b),
  expm1: numeric(1, Math.expm1),
  ln1p: numeric(1, Math.log1p),
  hypot: numeric(2, Math.hypot),
  sin: numeric(1, Math.sin),
  asin: numeric(1, Math.asin),
  sinh: numeric(1, Math.sinh),
  cos: numeric(1, Math.cos),
  acos: numeric(1, Math.acos),
  cosh: numeric(1, Math.cosh),
  tan: numeric(1, Math.tan),
  atan: numeric(1, Math.atan),
  tanh: numeric(1, Math.tanh),
  erf: numeric(1, erf),
  normalCDF: numeric(3, normalCumulative),
  normalPDF: numeric(3, normalDensity),
  normalIDF: numeric(3, normalQuantile),
  stdNormalCDF: numeric(1, (x) => normalCumulative(x ?? Number.NaN)),
  stdNormalPDF: numeric(1, (x) => normalDensity(x ?? Number.NaN)),
  stdNormalIDF: numeric(1, (x) => normalQuantile(x ?? Number.NaN)),
  isMissing: missingTest((value) => value === undefined),
  isNotMissing: missingTest((value) => value !== undefined),
  equal: comparison(isSame),
  notEqual: comparison((a, b) => !isSame(a, b)),
  lessThan: orderComparison((order) => order < 0),
  lessOrEqual: orderComparison((order) => order <= 0),
  greaterThan: orderComparison((order) => order > 0),
  greaterOrEqual: orderComparison((order) => order >= 0),
  and: logical(false),
  or: logical(true),
  not: { arity: [1, 1], call: (value: Known) => !isSame(value, true) },
  isIn: { arity: [2, 10_000], call: (value: Known, ...list: Known[]) => isAmong(value, list) },
  isNotIn: { arity: [2, 10_000], call: (value: Known, ...list: Known[]) => !isAmong(value, list) },
  uppercase: textFunction((text) => text.toUpperCase()),
  lowercase: textFunction((text) => text.toLowerCase()),
  stringLength: textFunction((text) => text.length),
  trimBlanks: textFunction((text) => text.trim()),
  concat: { arity: [2, 10_000], call: concat },
  substring: { arity: [3, 3], call: substring },
  replace: {
    arity: [3, 3],
    pattern: { at: 1, compile: compilePattern },
    call: (text: Known, pattern: Pattern, replacement: Known) => pattern.replace(text, String(replacement)),
  },
  matches: {
    arity: [2, 2],
    pattern: { at: 1, compile: compilePattern },
    call: (text: Known, pattern: Pattern) => pattern.matches(text),
  },
  formatNumber: {
    arity: [2, 2],
    pattern: { at: 1, compile: compileNumberPattern },
    call: (value: Known, write: (value: number) => string) => write(asNumber(value)),
  },
  formatDatetime: {
    arity: [2, 2],
    pattern: { at: 1, compile: compileDateTimePattern },
    call: (dateTime: Known, write: (dateTime: string) => string) => write(String(dateTime)),
  },
  dateDaysSinceYear: {
    arity: [2, 2],
    call: (dateTime: Known, year: Known) => daysSinceYear(String(dateTime), asNumber(year)),
  },
  dateSecondsSinceYear: {
    arity: [2, 2],
    call: (dateTime: Known, year: Known) => Math.floor(secondsSinceYear(String(dateTime), asNumber(year))),
  },
  dateSecondsSinceMidnight: {
    arity: [1, 1],
    call: (dateTime: Known) => secondsSinceMidnight(String(dateTime)),
  },
}

/** Built-in functions that are compiled with Apply. */
const SPECIAL: Record<string, BuiltIn['arity']> = { if: [2, 3], isValid: [1, 1], isNotValid: [1, 1] }

/** Finds a built-in function by name and number of arguments; undefined for those that are compiled with Apply. */
export function findBuiltIn(name: string, args: number): BuiltIn | undefined {
  const builtIn = Object.hasOwn(BUILT_INS, name) ? BUILT_INS[name] : undefined
  const [from, to] = builtIn?.arity ?? (Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined) ?? []
  if (from === undefined || to === undefined)
    throw new PmmlError(`unknown function ${JSON.stringify(name)}`, name)
  if (args < from || args > to)
    throw new PmmlError(`the function ${name} does not take ${args} arguments`, name)
  return builtIn
}

export const isBuiltIn = (name: string): boolean =>
  Object.hasOwn(BUILT_INS, name) || Object.hasOwn(SPECIAL, name)

/** Names of all built-in functions. */
export const BUILT_IN_NAMES: readonly string[] = [...Object.keys(BUILT_INS), ...Object.keys(SPECIAL)]
