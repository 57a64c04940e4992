import { type Input, isValid } from '../../db/scorecards/definition/inputs.ts'
import { compileRowConversion, withModelTexts } from './feature-values.ts'
import type { InputValue } from './model.ts'

/** Reads the inputs of a model by their names, or returns the reason why there is no score. */
export type ReadInputs = (of: Readonly<Record<string, unknown>>) => Record<string, InputValue> | string

/**
 * Compiles the reading of a model's inputs from features, by the features' names.
 *
 * @param modelValidates whether the model validates values itself, as PMML does: values that do not have the type of
 *   their input are then passed unchanged.
 */
export function compileInputs(inputs: readonly Input[], modelValidates = false): ReadInputs {
  return compileReads(inputs, (input) => input.feature ?? '', modelValidates)
}

/** Compiles the reading of a model's inputs from a verification row, by the model's names, converted as features are. */
export function compileRowInputs(inputs: readonly Input[], modelValidates = false): ReadInputs {
  const convert = compileRowConversion(inputs)
  const read = compileReads(inputs, (input) => input.name, modelValidates)
  return (row) => read(convert(row))
}

function compileReads(
  inputs: readonly Input[],
  nameOf: (input: Input) => string,
  modelValidates: boolean,
): ReadInputs {
  const reads = inputs.map((input) => ({
    from: nameOf(input),
    name: input.name,
    input,
    treat: withModelTexts(input, compileTreatment(input, modelValidates)),
    // objects inherit members such as constructor
    isInherited: nameOf(input) in {},
  }))
  return (of) => {
    const row: Record<string, InputValue> = {}
    for (const { from, name, input, treat, isInherited } of reads) {
      const raw = isInherited && !Object.hasOwn(of, from) ? undefined : of[from]
      const value = treat(raw)
      if (value === INVALID) return `${describe(input)} has an invalid value: ${JSON.stringify(raw)}`
      if (value === undefined && input.required) return `${describe(input)} is required but missing`
      row[name] = value
    }
    return row
  }
}

const describe = ({ name, feature }: Input) =>
  feature === undefined || feature === name ? name : `${name} (${feature})`

const INVALID = Symbol('invalid')

function compileTreatment(
  input: Input,
  modelValidates: boolean,
): (value: unknown) => InputValue | typeof INVALID {
  const { type, missing, special, valid, invalid } = input
  const ofInvalid = invalid === 'noScore' ? INVALID : typeof invalid === 'object' ? invalid.value : undefined
  const isPlain = missing.length === 0 && valid === undefined
  return (raw) => {
    const value = typeof raw === type ? (raw as InputValue) : read(raw, type)
    if (value === undefined || Number.isNaN(value)) return undefined
    if (value === WRONG_TYPE) {
      if (invalid !== 'asIs') return ofInvalid
      return modelValidates ? (raw as string | boolean) : INVALID
    }
    if (isPlain) return value
    if ((missing as unknown[]).includes(value)) return undefined
    if ((special as unknown[]).includes(value)) return value
    return invalid === 'asIs' || isValid(value, valid) ? value : ofInvalid
  }
}

/** A value that does not have the type of its input: invalid, which differs from missing. */
const WRONG_TYPE = Symbol('wrong type')

/** Converts a value to the type of the input; undefined if it is missing. */
function read(raw: unknown, type: Input['type']): InputValue | typeof WRONG_TYPE {
  if (raw === undefined || raw === null) return undefined
  if (type === 'category') return typeof raw === 'object' ? undefined : String(raw)
  if (type === 'number' && typeof raw === 'boolean') return raw ? 1 : 0
  return typeof raw === 'object' || raw === '' ? undefined : WRONG_TYPE
}
