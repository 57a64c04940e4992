import { InvalidResult, numberOf, type Value } from './values.ts'

type Present = number | string | boolean

/** Converts a boolean or its text, as mapMissingTo has no type. */
export const truthOf = (value: Value): boolean | undefined =>
  typeof value === 'boolean' || value === undefined ? value : value === 'true'

/** Rounds halves up. Adding 0.5 to 0.49999999999999994 would give 1. */
export const roundHalfUp = (number: number): number => {
  const below = Math.floor(number)
  return number - below >= 0.5 ? below + 1 : below
}

/** Functions whose result is missing if an argument is. */
const STRICT: Record<string, (...values: Present[]) => Present> = {
  '+': (a, b) => numberOf(a) + numberOf(b),
  '-': (a, b) => numberOf(a) - numberOf(b),
  '*': (a, b) => numberOf(a) * numberOf(b),
  '/': (a, b) => numberOf(a) / numberOf(b),
  log10: (a) => Math.log10(numberOf(a)),
  ln: (a) => Math.log(numberOf(a)),
  sqrt: (a) => Math.sqrt(numberOf(a)),
  abs: (a) => Math.abs(numberOf(a)),
  exp: (a) => Math.exp(numberOf(a)),
  pow: (a, b) => numberOf(a) ** numberOf(b),
  threshold: (a, b) => (numberOf(a) > numberOf(b) ? 1 : 0),
  floor: (a) => Math.floor(numberOf(a)),
  ceil: (a) => Math.ceil(numberOf(a)),
  round: (a) => roundHalfUp(numberOf(a)),
  modulo: (a, b) => numberOf(a) - numberOf(b) * Math.floor(numberOf(a) / numberOf(b)),
  equal: (a, b) => a === b,
  notEqual: (a, b) => a !== b,
  lessThan: (a, b) => numberOf(a) < numberOf(b),
  lessOrEqual: (a, b) => numberOf(a) <= numberOf(b),
  greaterThan: (a, b) => numberOf(a) > numberOf(b),
  greaterOrEqual: (a, b) => numberOf(a) >= numberOf(b),
  isIn: (a, ...list) => list.includes(a),
  isNotIn: (a, ...list) => !list.includes(a),
  not: (a) => !truthOf(a),
  uppercase: (a) => String(a).toUpperCase(),
  lowercase: (a) => String(a).toLowerCase(),
  trimBlanks: (a) => String(a).trim(),
  stringLength: (a) => [...String(a)].length,
  substring: (a, from, length) => String(a).slice(numberOf(from) - 1, numberOf(from) - 1 + numberOf(length)),
  concat: (...texts) => texts.map(String).join(''),
}

/** Functions that skip missing arguments. */
const AGGREGATES: Record<string, (numbers: readonly number[]) => number> = {
  min: (numbers) => numbers.reduce((a, b) => (b < a ? b : a)),
  max: (numbers) => numbers.reduce((a, b) => (b > a ? b : a)),
  sum: (numbers) => numbers.reduce((a, b) => a + b),
  avg: (numbers) => numbers.reduce((a, b) => a + b) / numbers.length,
  product: (numbers) => numbers.reduce((a, b) => a * b),
  median: (numbers) => middleOf(numbers),
}

/** Computes the median. */
export function middleOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const at = (index: number) => sorted[index] ?? Number.NaN
  return sorted.length % 2 === 1 ? at(Math.floor(half)) : (at(half - 1) + at(half)) / 2
}

/** Applies a built-in function. @see https://dmg.org/pmml/v4-4-1/BuiltinFunctions.html */
export function applyFunction(name: string, values: readonly Value[]): Value {
  if (name === 'isMissing') return values[0] === undefined
  if (name === 'isNotMissing') return values[0] !== undefined
  if (name === 'and' || name === 'or') {
    const truths = values.map(truthOf)
    const decides = name === 'or'
    return truths.includes(decides) ? decides : truths.includes(undefined) ? undefined : !decides
  }
  const present = values.filter((value) => value !== undefined)
  const aggregate = AGGREGATES[name]
  if (aggregate) return present.length === 0 ? undefined : aggregate(present.map(numberOf))
  if (present.length < values.length) return undefined
  const strict = STRICT[name]
  if (!strict) throw new InvalidResult(`no function ${name}`)
  return strict(...present)
}
