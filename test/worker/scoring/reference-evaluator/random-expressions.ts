import type { DerivedField, Expression } from '../../../../db/scorecards/definition/pmml.ts'
import type { Draw } from './draw.ts'
import { aConstant, aHalf, aText, type Kind, type RandomField } from './random-fields.ts'

const DATA_TYPES = { number: 'double', text: 'string', truth: 'boolean' } as const

/** Functions by kind of result, with the kinds of their arguments; three dots: any number of them. */
const FUNCTIONS: Record<Kind, Record<string, readonly Kind[] | readonly [...Kind[], '...']>> = {
  number: {
    '+': ['number', 'number'],
    '-': ['number', 'number'],
    '*': ['number', 'number'],
    '/': ['number', 'number'],
    min: ['number', '...'],
    max: ['number', '...'],
    sum: ['number', '...'],
    avg: ['number', 'number'],
    median: ['number', '...'],
    product: ['number', 'number'],
    abs: ['number'],
    exp: ['number'],
    ln: ['number'],
    log10: ['number'],
    sqrt: ['number'],
    pow: ['number', 'number'],
    threshold: ['number', 'number'],
    floor: ['number'],
    ceil: ['number'],
    round: ['number'],
    modulo: ['number', 'number'],
    stringLength: ['text'],
    twice: ['number'],
  },
  text: {
    uppercase: ['text'],
    lowercase: ['text'],
    trimBlanks: ['text'],
    concat: ['text', 'text'],
  },
  truth: {
    isMissing: ['number'],
    isNotMissing: ['text'],
    isValid: ['number'],
    isNotValid: ['number'],
    equal: ['text', 'text'],
    notEqual: ['number', 'number'],
    lessThan: ['number', 'number'],
    lessOrEqual: ['number', 'number'],
    greaterThan: ['number', 'number'],
    greaterOrEqual: ['number', 'number'],
    isIn: ['text', 'text', 'text'],
    isNotIn: ['number', 'number'],
    and: ['truth', 'truth', '...'],
    or: ['truth', 'truth', '...'],
    not: ['truth'],
  },
}

/**
 * Draws an expression of a kind of value over some fields.
 *
 * @param invalid treatment of invalid results. Nested functions use asMissing, as the standard does not define in which
 * order arguments are computed, nor whether all are.
 */
export function anExpression(
  draw: Draw,
  kind: Kind,
  known: readonly RandomField[],
  { depth = 2, invalid = 'asMissing' }: Options = {},
): Expression {
  const same = known.filter((field) => field.kind === kind)
  if (depth === 0 || draw.chance(30)) {
    if (same.length === 0 || draw.chance(30)) return aConstantOf(draw, kind)
    const { name: field } = draw.pick(same)
    return { element: 'FieldRef', field, mapMissingTo: maybe(draw, 20, () => aConstant(draw, kind)) }
  }
  if (draw.chance(35)) {
    const mapped = aMapping(draw, kind, known)
    if (mapped) return mapped
  }
  return anApply(draw, kind, known, { depth, invalid })
}

interface Options {
  readonly depth?: number
  readonly invalid?: 'returnInvalid' | 'asMissing'
}

const maybe = <T>(draw: Draw, percent: number, make: () => T): T | undefined =>
  draw.chance(percent) ? make() : undefined

function aConstantOf(draw: Draw, kind: Kind): Expression {
  if (draw.chance(5)) return { element: 'Constant' }
  return { element: 'Constant', value: aConstant(draw, kind), dataType: DATA_TYPES[kind] }
}

function anApply(
  draw: Draw,
  kind: Kind,
  known: readonly RandomField[],
  { depth, invalid }: Required<Options>,
): Expression {
  const common = {
    element: 'Apply' as const,
    mapMissingTo: maybe(draw, 15, () => aConstant(draw, kind)),
    defaultValue: maybe(draw, 15, () => aConstant(draw, kind)),
    invalid,
  }
  const inner = (of: Kind) => anExpression(draw, of, known, { depth: depth - 1 })
  if (draw.chance(20))
    return {
      ...common,
      function: 'if',
      arguments: [inner('truth'), inner(kind), ...(draw.chance(70) ? [inner(kind)] : [])],
    }
  const name = draw.pick(Object.keys(FUNCTIONS[kind]))
  if (name === 'isValid' || name === 'isNotValid') {
    const { name: field } = draw.pick(known)
    return { ...common, mapMissingTo: undefined, function: name, arguments: [{ element: 'FieldRef', field }] }
  }
  const takes = FUNCTIONS[kind][name] ?? []
  const args = takes.flatMap((of) => (of === '...' ? draw.list(0, 2, () => takes[0] as Kind) : [of]))
  return { ...common, function: name, arguments: args.map(inner) }
}

/** Draws a mapping of a field to a number or a text. */
function aMapping(draw: Draw, kind: Kind, known: readonly RandomField[]): Expression | undefined {
  const numbers = known.filter((field) => field.kind === 'number')
  const texts = known.filter((field) => field.kind === 'text')
  if (kind === 'truth') return undefined
  if (kind === 'number' && numbers.length > 0 && draw.chance(50))
    return aNormContinuous(draw, draw.pick(numbers).name)
  if (kind === 'number' && texts.length > 0 && draw.chance(30))
    return {
      element: 'NormDiscrete',
      field: draw.pick(texts).name,
      value: aText(draw),
      mapMissingTo: maybe(draw, 40, () => aHalf(draw)),
    }
  const common = {
    dataType: DATA_TYPES[kind],
    mapMissingTo: maybe(draw, 40, () => aConstant(draw, kind)),
    defaultValue: maybe(draw, 40, () => aConstant(draw, kind)),
  }
  if (numbers.length > 0 && draw.chance(50))
    return { ...common, element: 'Discretize', field: draw.pick(numbers).name, bins: someBins(draw, kind) }
  if (texts.length === 0) return undefined
  const fields = draw.list(1, 2, () => draw.pick(texts).name)
  const rows = draw.list(1, 4, () => [...fields.map(() => aText(draw)), aConstant(draw, kind)])
  return { ...common, element: 'MapValues', fields, rows }
}

/** Distances are powers of two, so that interpolation is exact. */
function aNormContinuous(draw: Draw, field: string): Expression {
  let orig = draw.whole(-4, 1) / 2
  const norms = draw.list(2, 4, () => {
    orig += draw.pick([0.5, 1, 2])
    return { orig, norm: aHalf(draw) }
  })
  return {
    element: 'NormContinuous',
    field,
    norms,
    outliers: draw.pick(['asIs', 'asMissingValues', 'asExtremeValues'] as const),
    mapMissingTo: maybe(draw, 50, () => aHalf(draw)),
  }
}

const someBins = (draw: Draw, kind: Kind) => {
  const [a, b] = [draw.whole(-4, 0) / 2, draw.whole(1, 4) / 2]
  return [
    { value: aConstant(draw, kind), interval: { closure: 'openOpen' as const, right: a } },
    { value: aConstant(draw, kind), interval: { closure: 'closedOpen' as const, left: a, right: b } },
    { value: aConstant(draw, kind), interval: { closure: 'openClosed' as const, left: b } },
  ].slice(draw.whole(0, 2))
}

/** Draws derived fields, each over the earlier ones, and adds them to the known fields. */
export function someDerived(draw: Draw, prefix: string, known: RandomField[], most: number): DerivedField[] {
  return draw.list(0, most, (at) => {
    const name = `${prefix}${at}`
    const kind = draw.pick(['number', 'number', 'text', 'truth'] as const)
    const expression = anExpression(draw, kind, known)
    known.push({ name, kind })
    const optype = kind === 'number' ? 'continuous' : 'categorical'
    return { name, optype, dataType: DATA_TYPES[kind], expression }
  })
}

/** Draws whether an invalid result makes the whole result invalid. */
export const anInvalid = (draw: Draw) => ({ invalid: draw.pick(['returnInvalid', 'asMissing'] as const) })
