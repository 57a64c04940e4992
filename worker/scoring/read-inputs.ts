import { type Input, isValid } from '../../db/scorecards/definition/inputs.ts'
import { compileArrivals, treatTexts } from './arrival.ts'
import type { InputValue } from './model.ts'

/** The inputs of a model by their names, or why there can be no score. */
export type ReadInputs = (of: Readonly<Record<string, unknown>>) => Record<string, InputValue> | string

/**
 * Makes ready to read a model's inputs from features, by the features' names.
 *
 * @param isJudge whether the model judges values itself, as PMML does: it is then given those that have not the type of
 *   their input, as they are.
 */
export function compileInputs(inputs: readonly Input[], isJudge = false): ReadInputs {
  return compileReads(inputs, (input) => input.feature ?? '', isJudge)
}

/** Makes ready to read a model's inputs from a row of a verification, by the model's own names, as its features arrive. */
export function compileRowInputs(inputs: readonly Input[], isJudge = false): ReadInputs {
  const arrive = compileArrivals(inputs)
  const read = compileReads(inputs, (input) => input.name, isJudge)
  return (row) => read(arrive(row))
}

function compileReads(
  inputs: readonly Input[],
  nameOf: (input: Input) => string,
  isJudge: boolean,
): ReadInputs {
  const reads = inputs.map((input) => ({
    from: nameOf(input),
    name: input.name,
    input,
    treat: treatTexts(input, compileTreatment(input, isJudge)),
    // every object has something by the name constructor
    isInherited: nameOf(input) in {},
  }))
  return (of) => {
    const row: Record<string, InputValue> = {}
    for (const { from, name, input, treat, isInherited } of reads) {
      const raw = isInherited && !Object.hasOwn(of, from) ? undefined : of[from]
      const value = treat(raw)
      if (value === INVALID) return `${describe(input)} is ${JSON.stringify(raw)}, which is not valid`
      if (value === undefined && input.required)
        return `${describe(input)} is missing, and the scorecard needs it`
      row[name] = value
    }
    return row
  }
}

const describe = ({ name, feature }: Input) =>
  feature === undefined || feature === name ? name : `${name} (${feature})`

const INVALID = Symbol('invalid')

function compileTreatment(input: Input, isJudge: boolean): (value: unknown) => InputValue | typeof INVALID {
  const { type, missing, special, valid, invalid } = input
  const ofInvalid = invalid === 'noScore' ? INVALID : typeof invalid === 'object' ? invalid.value : undefined
  const isPlain = missing.length === 0 && valid === undefined
  return (raw) => {
    const value = typeof raw === type ? (raw as InputValue) : read(raw, type)
    if (value === undefined || Number.isNaN(value)) return undefined
    if (value === UNREADABLE) {
      if (invalid !== 'asIs') return ofInvalid
      return isJudge ? (raw as string | boolean) : INVALID
    }
    if (isPlain) return value
    if ((missing as unknown[]).includes(value)) return undefined
    if ((special as unknown[]).includes(value)) return value
    return invalid === 'asIs' || isValid(value, valid) ? value : ofInvalid
  }
}

/** A value that has not the type of its input: a text in a column of numbers. It is invalid, which is not missing. */
const UNREADABLE = Symbol('unreadable')

/** A value as the type that the model has it in; undefined where it is missing. */
function read(raw: unknown, type: Input['type']): InputValue | typeof UNREADABLE {
  if (raw === undefined || raw === null) return undefined
  if (type === 'category') return typeof raw === 'object' ? undefined : String(raw)
  if (type === 'number' && typeof raw === 'boolean') return raw ? 1 : 0
  return typeof raw === 'object' || raw === '' ? undefined : UNREADABLE
}
