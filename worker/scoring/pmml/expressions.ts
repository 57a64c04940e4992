import type {
  DataType,
  DefineFunction,
  Expression,
  Interval,
} from '../../../db/scorecards/definition/pmml.ts'
import { MAX_TEXT } from '../../../db/scorecards/definition/text-limits.ts'
import { NoScore, PmmlError } from './errors.ts'
import { findBuiltIn, isBuiltIn } from './functions.ts'
import type { Evaluate, Field, Program, Scope } from './program.ts'
import { asNumber, cast, isSame, readConstant, readThreshold, type Value } from './values.ts'

/** Context in which an expression is compiled. */
export interface Context {
  readonly program: Program
  readonly scope: Scope
  readonly functions: ReadonlyMap<string, DefineFunction>
  /** Arguments of the function being inlined, by parameter name. */
  readonly parameters?: ReadonlyMap<string, () => Field>
  /** Texts of constant arguments, by parameter name. */
  readonly constants?: ReadonlyMap<string, string>
  /** Functions being inlined, to detect recursion. */
  readonly calling?: readonly string[]
}

/** Compiles an expression: resolves names, parses constants and inlines the model's functions. */
export function compileExpression(expression: Expression, context: Context): Evaluate {
  return context.program.nested(() => {
    switch (expression.element) {
      case 'Constant':
        return compileConstant(expression)
      case 'FieldRef': {
        const { read, dataType } = findField(expression.field, context)
        return orElse(read, constant(expression.mapMissingTo, dataType))
      }
      case 'Apply':
        return compileApply(expression, context)
      case 'NormContinuous':
        return compileNormContinuous(expression, context)
      case 'NormDiscrete': {
        const { read, dataType } = findField(expression.field, context)
        const wanted = readThreshold(expression.value, dataType)
        const { mapMissingTo } = expression
        return (frame) => {
          const value = read(frame)
          return value === undefined ? mapMissingTo : isSame(value, wanted) ? 1 : 0
        }
      }
      case 'Discretize':
        return compileDiscretize(expression, context)
      case 'MapValues':
        return compileMapValues(expression, context)
    }
  })
}

type Of<E extends Expression['element']> = Extract<Expression, { element: E }>

function findField(name: string, { parameters, scope }: Context): Field {
  return parameters?.get(name)?.() ?? scope.find(name)
}

const constant = (text: string | undefined, dataType: DataType | undefined): Value =>
  text === undefined ? undefined : readConstant(text, dataType)

function compileConstant({ value: text, dataType }: Of<'Constant'>): Evaluate {
  const value = constant(text, dataType)
  return () => value
}

function orElse(evaluate: Evaluate, otherwise: Value): Evaluate {
  if (otherwise === undefined) return evaluate
  return (frame) => evaluate(frame) ?? otherwise
}

function compileApply(apply: Of<'Apply'>, context: Context): Evaluate {
  const mapMissingTo = constant(apply.mapMissingTo, undefined)
  const evaluate = withoutInvalid(compileCall(apply, context, mapMissingTo), apply)
  return orElse(evaluate, constant(apply.defaultValue, undefined))
}

/**
 * Applies invalidValueTreatment to results that are not finite (a division by 0, a logarithm of −1), and to texts that are
 * too long, which have no score as they are.
 */
function withoutInvalid(evaluate: Evaluate, { function: name, invalid }: Of<'Apply'>): Evaluate {
  return (frame) => {
    const value = evaluate(frame)
    if (typeof value === 'string' ? value.length <= MAX_TEXT : typeof value !== 'number') return value
    if (typeof value === 'number' && (invalid === 'asIs' || Number.isFinite(value))) return value
    if (invalid === 'asMissing') return undefined
    throw new NoScore(
      typeof value === 'string'
        ? `the function ${name} gives a text of more than ${MAX_TEXT} characters`
        : `the function ${name} has no valid result for this dataset`,
    )
  }
}

function compileCall(apply: Of<'Apply'>, context: Context, mapMissingTo: Value): Evaluate {
  const { function: name, arguments: given } = apply
  const defined = context.functions.get(name)
  if (defined && !isBuiltIn(name))
    return mapMissing(compileDefined(defined, given, context), given, context, mapMissingTo)
  const builtIn = findBuiltIn(name, given.length)
  if (!builtIn) {
    if (name === 'if') return compileIf(given, context, mapMissingTo)
    return mapMissing(compileIsValid(name === 'isValid', given, context), given, context, mapMissingTo)
  }
  const { takesMissing, pattern } = builtIn
  const call = builtIn.call as (...args: unknown[]) => Value
  const args = given.map((argument, at) =>
    pattern?.at === at
      ? compileConstantArgument(argument, pattern.compile, name, context)
      : compileExpression(argument, context),
  )
  const [first, second] = args
  const isStrict = !takesMissing || mapMissingTo !== undefined
  if (isStrict && args.length === 1 && first)
    return (frame) => {
      const value = first(frame)
      return value === undefined ? mapMissingTo : call(value)
    }
  if (isStrict && args.length === 2 && first && second)
    return (frame) => {
      const a = first(frame)
      if (a === undefined) return mapMissingTo
      const b = second(frame)
      return b === undefined ? mapMissingTo : call(a, b)
    }
  return (frame) => {
    const values: unknown[] = []
    for (const evaluate of args) {
      const value = evaluate(frame)
      if (value === undefined && isStrict) return mapMissingTo
      values.push(value)
    }
    return call(...values)
  }
}

/** Applies mapMissingTo if an argument is missing. */
function mapMissing(
  call: Evaluate,
  given: readonly Expression[],
  context: Context,
  mapMissingTo: Value,
): Evaluate {
  if (mapMissingTo === undefined) return call
  const args = given.map((argument) => compileExpression(argument, context))
  return (frame) => (args.some((evaluate) => evaluate(frame) === undefined) ? mapMissingTo : call(frame))
}

/** Compiles a pattern argument once; it must be constant. */
function compileConstantArgument(
  argument: Expression,
  compile: (pattern: string) => unknown,
  name: string,
  context: Context,
): Evaluate {
  const text = constantOf(argument, context)
  if (text === undefined) throw new PmmlError(`the pattern of the function ${name} must be a constant`, name)
  const compiled = compile(text) as Value
  return () => compiled
}

/** Returns the text of a constant or of a parameter bound to a constant; undefined for other expressions. */
function constantOf(argument: Expression, { constants }: Context): string | undefined {
  if (argument.element === 'Constant') return argument.value
  return argument.element === 'FieldRef' ? constants?.get(argument.field) : undefined
}

/** Evaluates only the selected branch; the result of a missing condition is missing. */
function compileIf(given: readonly Expression[], context: Context, mapMissingTo: Value): Evaluate {
  const [condition, then, otherwise] = given.map((argument) => compileExpression(argument, context))
  if (!condition || !then) throw new PmmlError('the function if requires a condition and a value', 'if')
  return (frame) => {
    const holds = condition(frame)
    if (holds === undefined) return mapMissingTo
    const branch = isSame(holds, true) ? then : otherwise
    return branch ? (branch(frame) ?? mapMissingTo) : undefined
  }
}

function compileIsValid(wanted: boolean, given: readonly Expression[], context: Context): Evaluate {
  const [argument] = given
  if (argument?.element !== 'FieldRef')
    throw new PmmlError('the argument of isValid and isNotValid must be a FieldRef')
  const { read, isInvalid } = findField(argument.field, context)
  return (frame) => (read(frame) !== undefined && !isInvalid?.(frame)) === wanted
}

/** Inlines a function of the model: compiles its body with the arguments bound to the parameters. */
function compileDefined(defined: DefineFunction, given: readonly Expression[], context: Context): Evaluate {
  const { name, parameters, expression, dataType } = defined
  const calling = context.calling ?? []
  if (calling.includes(name)) throw new PmmlError(`the function ${name} calls itself`, name)
  if (given.length !== parameters.length)
    throw new PmmlError(
      `the function ${name} takes ${parameters.length} arguments, not ${given.length}`,
      name,
    )
  const bound = new Map<string, () => Field>()
  const constants = new Map<string, string>()
  for (const [at, argument] of given.entries()) {
    const parameter = parameters[at]
    if (!parameter) continue
    const text = constantOf(argument, context)
    if (text !== undefined) constants.set(parameter.name, text)
    // inlined at each use, so that the expression count reflects the cost of the model
    bound.set(parameter.name, () => {
      const evaluate = compileExpression(argument, context)
      const isInvalid =
        argument.element === 'FieldRef' ? findField(argument.field, context).isInvalid : undefined
      return {
        read: (frame) => cast(evaluate(frame), parameter.dataType, parameter.name),
        dataType: parameter.dataType,
        ...(isInvalid ? { isInvalid } : {}),
      }
    })
  }
  const body = compileExpression(expression, {
    ...context,
    parameters: bound,
    constants,
    calling: [...calling, name],
  })
  return dataType === undefined ? body : (frame) => cast(body(frame), dataType, name)
}

/** Interpolates linearly between the points; `outliers` decides beyond them. */
function compileNormContinuous(expression: Of<'NormContinuous'>, context: Context): Evaluate {
  const { field, outliers, mapMissingTo } = expression
  const { read } = findField(field, context)
  const norms = [...expression.norms]
  const first = norms[0]
  const last = norms.at(-1)
  if (!first || !last) throw new PmmlError(`NormContinuous of ${field} has no points`, field)
  for (const [at, { orig }] of norms.entries())
    if (at > 0 && orig <= (norms[at - 1]?.orig ?? orig))
      throw new PmmlError(`the points of NormContinuous of ${field} are not in ascending order`, field)
  const isOutside = (x: number) => x < first.orig || x > last.orig
  return (frame) => {
    const value = read(frame)
    if (value === undefined) return mapMissingTo
    const x = asNumber(value)
    if (isOutside(x) && outliers === 'asMissingValues') return undefined // mapMissingTo applies to missing inputs only
    if (isOutside(x) && outliers === 'asExtremeValues') return x < first.orig ? first.norm : last.norm
    let at = 1
    while (at < norms.length - 1 && x > (norms[at]?.orig ?? 0)) at++
    const [a, b] = [norms[at - 1] ?? first, norms[at] ?? last]
    return a.norm + ((x - a.orig) / (b.orig - a.orig)) * (b.norm - a.norm)
  }
}

/** Compiles a test whether a number is in an interval. */
export function compileInterval({ closure, left, right }: Interval): (x: number) => boolean {
  const low = left ?? Number.NEGATIVE_INFINITY
  const high = right ?? Number.POSITIVE_INFINITY
  const isFromOpen = closure.startsWith('open')
  const isToOpen = closure.endsWith('Open')
  return (x) => (isFromOpen ? x > low : x >= low) && (isToOpen ? x < high : x <= high)
}

function compileDiscretize(expression: Of<'Discretize'>, context: Context): Evaluate {
  const { field, dataType } = expression
  const { read } = findField(field, context)
  const mapMissingTo = constant(expression.mapMissingTo, dataType)
  const defaultValue = constant(expression.defaultValue, dataType)
  const bins = expression.bins.map(({ value, interval }) => ({
    holds: compileInterval(interval),
    value: constant(value, dataType ?? 'string'),
  }))
  return (frame) => {
    const value = read(frame)
    if (value === undefined) return mapMissingTo
    const x = asNumber(value)
    for (const bin of bins) if (bin.holds(x)) return bin.value
    return defaultValue
  }
}

/** Combines several values to one key; as JSON, separators within text cannot collide. */
const keyOf = (values: readonly Value[]) => (values.length === 1 ? values[0] : JSON.stringify(values))

function compileMapValues(expression: Of<'MapValues'>, context: Context): Evaluate {
  const { dataType } = expression
  const fields = expression.fields.map((name) => findField(name, context))
  const mapMissingTo = constant(expression.mapMissingTo, dataType ?? 'string')
  const defaultValue = constant(expression.defaultValue, dataType ?? 'string')
  const table = new Map<unknown, Value>()
  for (const row of expression.rows) {
    if (row.length !== fields.length + 1) throw new PmmlError('a row of MapValues lacks a column')
    const key = keyOf(fields.map(({ dataType: of }, at) => readConstant(row[at] ?? '', of ?? 'string')))
    // the first matching row decides
    if (!table.has(key)) table.set(key, constant(row.at(-1), dataType ?? 'string'))
  }
  return (frame) => {
    const values: Value[] = []
    for (const { read, dataType: of } of fields) {
      const value = read(frame)
      if (value === undefined) return mapMissingTo
      values.push(of === undefined ? String(value) : value)
    }
    const key = keyOf(values)
    return table.has(key) ? table.get(key) : defaultValue
  }
}
