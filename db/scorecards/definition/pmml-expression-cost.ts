import { CHARACTERS_PER_STEP } from './cost.ts'
import type { DataType, DefineFunction, Expression, Predicate } from './pmml.ts'
import { MAX_MATCHED_TEXT, MAX_TEXT } from './text-limits.ts'
import { compileTextPattern } from './text-pattern.ts'

/** What an expression costs at most. */
export interface ExpressionCost {
  /** Without the arguments of the function that it is the body of. */
  readonly steps: number
  /** How often it computes each argument of that function. */
  readonly uses: readonly number[]
  /** Characters of its result as text. */
  readonly length: number
  /** The text of a constant. */
  readonly constant?: string | undefined
}

/** Finds what a read of a field costs. */
export type FindField = (name: string) => ExpressionCost

/** Characters of a number, a boolean, a date. */
const OTHER_LENGTH = 30

/** Limits beyond which a model is rejected where it is compiled. */
const MAX_DEPTH = 300
const MAX_VISITS = 500_000

/** More than any limit, and exact in a double. */
const UNBOUNDED = 1e15

const VISIT_STEPS = 5
const CALL_STEPS = 25
const ARGUMENT_STEPS = 8
/** For each instruction of a regular expression and each character of the text. */
const MATCH_STEPS = 10
/** Characters that a match takes at least, for its start: it also limits how many patterns are compiled. */
const MATCH_MIN_CHARACTERS = 50

/** For each part of a text that is replaced. */
const REPLACE_STEPS = 50

/** The quantile of a distribution, the time of a date. */
const SLOW_CALL_STEPS = 300

const NONE: readonly number[] = []

const field = (steps: number, length: number): ExpressionCost => ({ steps, uses: NONE, length })

/** A field that is set or computed before: its read. */
export const readField = (length: number, dataType: DataType | undefined): ExpressionCost =>
  field(0, lengthOfType(length, dataType))

/** The length of a value once it has a data type. */
const lengthOfType = (length: number, dataType: DataType | undefined): number =>
  dataType === undefined || dataType === 'string' ? Math.min(length, MAX_TEXT) : OTHER_LENGTH

const ofText = (length: number): number => length / CHARACTERS_PER_STEP

const longest = (texts: readonly (string | undefined)[]): number =>
  texts.reduce((most, text) => Math.max(most, text?.length ?? 0), OTHER_LENGTH)

/** Adds the parts of an expression to its own steps. */
function combine(own: number, parts: readonly ExpressionCost[]): Pick<ExpressionCost, 'steps' | 'uses'> {
  let steps = own
  let uses = NONE
  for (const part of parts) {
    steps += part.steps
    uses = plus(uses, part.uses, 1)
  }
  return { steps: Math.min(steps, UNBOUNDED), uses }
}

/** a + factor × b */
function plus(a: readonly number[], b: readonly number[], factor: number): readonly number[] {
  if (b.length === 0 || factor === 0) return a
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) =>
    Math.min(UNBOUNDED, (a[at] ?? 0) + factor * (b[at] ?? 0)),
  )
}

/**
 * Computes the costs of a model's expressions, with the calls of its functions written out: an argument is computed at each use of
 * its parameter. A body is read once for arguments of about the same length, so that this takes no longer for calls within calls.
 */
export class ExpressionCosts {
  readonly #functions: ReadonlyMap<string, DefineFunction>
  readonly #bodies = new Map<string, ExpressionCost>()
  #depth = 0
  #visits = 0

  constructor(functions: readonly DefineFunction[]) {
    this.#functions = new Map(functions.map((defined) => [defined.name, defined]))
  }

  costOf(expression: Expression, find: FindField): ExpressionCost {
    if (this.#depth >= MAX_DEPTH || ++this.#visits > MAX_VISITS) return field(UNBOUNDED, MAX_TEXT)
    this.#depth++
    const cost = this.#visit(expression, find)
    this.#depth--
    return cost
  }

  costOfPredicate(predicate: Predicate, find: FindField): number {
    switch (predicate.element) {
      case 'True':
      case 'False':
        return 2
      case 'SimplePredicate':
      case 'SimpleSetPredicate':
        return 6 + ofText(find(predicate.field).length)
      case 'CompoundPredicate':
        return predicate.predicates.reduce((sum, part) => sum + 2 + this.costOfPredicate(part, find), 8)
    }
  }

  #visit(expression: Expression, find: FindField): ExpressionCost {
    switch (expression.element) {
      case 'Constant': {
        const { value } = expression
        return { steps: VISIT_STEPS, uses: NONE, length: value?.length ?? 0, constant: value }
      }
      case 'FieldRef': {
        const found = find(expression.field)
        const length = Math.max(found.length, expression.mapMissingTo?.length ?? 0)
        return { ...found, ...combine(VISIT_STEPS, [found]), length }
      }
      case 'Apply':
        return this.#costOfApply(expression, find)
      case 'NormContinuous':
      case 'NormDiscrete': {
        const found = find(expression.field)
        const norms = 'norms' in expression ? expression.norms.length : 0
        return { ...combine(10 + norms + ofText(found.length), [found]), length: OTHER_LENGTH }
      }
      case 'Discretize': {
        const { bins, defaultValue, mapMissingTo } = expression
        const found = find(expression.field)
        const length = longest([defaultValue, mapMissingTo, ...bins.map(({ value }) => value)])
        return { ...combine(10 + 2 * bins.length + ofText(found.length), [found]), length }
      }
      case 'MapValues': {
        const { fields, rows, defaultValue, mapMissingTo } = expression
        const found = fields.map(find)
        const own = found.reduce((sum, { length }) => sum + 15 + 2 * ofText(length), 20)
        const length = longest([defaultValue, mapMissingTo, ...rows.map((row) => row.at(-1))])
        return { ...combine(own, found), length }
      }
    }
  }

  #costOfApply(apply: Extract<Expression, { element: 'Apply' }>, find: FindField): ExpressionCost {
    const { function: name, mapMissingTo, defaultValue } = apply
    const args = apply.arguments.map((argument) => this.costOf(argument, find))
    const defined = this.#functions.get(name)
    const builtIn = costOfBuiltIn(name, args)
    const call = defined ? atMost(builtIn, this.#costOfCall(defined, args)) : builtIn
    // with mapMissingTo, the arguments of a defined function are computed once more
    const parts = defined && mapMissingTo !== undefined ? [call, ...args] : [call]
    const length = Math.min(MAX_TEXT, Math.max(call.length, longest([mapMissingTo, defaultValue])))
    return { ...combine(VISIT_STEPS, parts), length }
  }

  #costOfCall({ name, parameters, expression, dataType }: DefineFunction, args: readonly ExpressionCost[]) {
    const lengths = parameters.map(({ dataType: of }, at) => roundUp(lengthOfType(args[at]?.length ?? 0, of)))
    const constants = args.map(({ constant }) => constant)
    const key = JSON.stringify([name, lengths, constants])
    let body = this.#bodies.get(key)
    if (!body) {
      this.#bodies.set(key, field(UNBOUNDED, MAX_TEXT)) // for a function that calls itself
      const places = new Map(parameters.map((parameter, at) => [parameter.name, at]))
      const fields = parameters.map((_, at) => ({
        steps: 5,
        uses: parameters.map((_other, other) => (other === at ? 1 : 0)),
        length: lengths[at] ?? 0,
        constant: constants[at],
      }))
      // a body reads no fields but its parameters; another name is rejected where it is compiled, or a global field
      body = this.costOf(expression, (read) => fields[places.get(read) ?? -1] ?? field(5, MAX_TEXT))
      this.#bodies.set(key, body)
    }
    let steps = body.steps
    let uses = NONE
    for (const [at, times] of body.uses.entries()) {
      const arg = args[at]
      if (!arg || times === 0) continue
      steps += times * arg.steps
      uses = plus(uses, arg.uses, times)
    }
    return { steps: Math.min(steps, UNBOUNDED), uses, length: lengthOfType(body.length, dataType) }
  }
}

/** The next power of two, so that a body is read for few lengths. */
const roundUp = (length: number): number =>
  length <= OTHER_LENGTH ? OTHER_LENGTH : 2 ** Math.ceil(Math.log2(length))

const atMost = (a: ExpressionCost, b: ExpressionCost): ExpressionCost => ({
  steps: Math.max(a.steps, b.steps),
  uses: plus(a.uses, b.uses, 1),
  length: Math.max(a.length, b.length),
})

/** Computes the cost of a built-in function, with that of its arguments. */
function costOfBuiltIn(name: string, args: readonly ExpressionCost[]): ExpressionCost {
  const own = args.reduce((sum, { length }) => sum + ARGUMENT_STEPS + ofText(length), CALL_STEPS)
  const [text, second, third] = args
  const lengths = args.map(({ length }) => length)
  switch (name) {
    case 'matches':
      return { ...combine(own + costOfMatch(text, second), args), length: OTHER_LENGTH }
    case 'replace': {
      const length = lengthOfReplaced(text, third)
      const characters = Math.min(text?.length ?? 0, MAX_MATCHED_TEXT)
      return {
        ...combine(own + costOfMatch(text, second) + REPLACE_STEPS * characters + ofText(length), args),
        length,
      }
    }
    case 'concat':
      return { ...combine(own, args), length: lengths.reduce((sum, length) => sum + length, 0) }
    case 'uppercase':
    case 'lowercase': // some letters become three
      return { ...combine(own, args), length: 3 * (text?.length ?? 0) }
    case 'formatNumber':
    case 'formatDatetime': // a conversion of two characters writes up to 130
      return { ...combine(own + SLOW_CALL_STEPS, args), length: 200 + 5 * (second?.length ?? 0) }
    case 'if':
    case 'trimBlanks':
    case 'substring':
      return { ...combine(own, args), length: Math.max(0, ...lengths) }
    case 'median': // sorts
      return { ...combine(own + 20 * args.length, args), length: OTHER_LENGTH }
    case 'erf':
    case 'normalCDF':
    case 'normalPDF':
    case 'normalIDF':
    case 'stdNormalCDF':
    case 'stdNormalPDF':
    case 'stdNormalIDF':
    case 'dateDaysSinceYear':
    case 'dateSecondsSinceYear':
    case 'dateSecondsSinceMidnight':
      return { ...combine(own + SLOW_CALL_STEPS, args), length: OTHER_LENGTH }
    default:
      return { ...combine(own, args), length: OTHER_LENGTH }
  }
}

/** A text that is too long is not matched. */
function costOfMatch(text: ExpressionCost | undefined, pattern: ExpressionCost | undefined): number {
  const characters = Math.min(text?.length ?? 0, MAX_MATCHED_TEXT) + MATCH_MIN_CHARACTERS
  return MATCH_STEPS * characters * sizeOf(pattern?.constant)
}

function sizeOf(pattern: string | undefined): number {
  try {
    return compileTextPattern(pattern ?? '').size
  } catch {
    return 0 // rejected where it is compiled
  }
}

function lengthOfReplaced(text: ExpressionCost | undefined, replacement: ExpressionCost | undefined): number {
  const from = Math.min(text?.length ?? 0, MAX_MATCHED_TEXT)
  const each = replacement?.constant?.includes('$') === false ? replacement.constant.length : MAX_MATCHED_TEXT
  return Math.min(MAX_TEXT, from + (from + 1) * each)
}
