import type { PmmlModel } from '../../../db/scorecards/definition/pmml.ts'
import type { Inputs, Model, Outcome } from '../model.ts'
import { categoriesOf, compileModel, declareDerived, type Surroundings } from './compile-model.ts'
import { NoScore, PmmlFault } from './faults.ts'
import { compileTreatment, type Treat } from './mining-schema.ts'
import { type Prediction, saysNothing } from './prediction.ts'
import { type Frame, Program, Scope, UNSET } from './program.ts'
import type { Value } from './values.ts'

/** A PMML model made ready. */
export interface CompiledPmml extends Model {
  /** Those that the model can predict, where it classifies. */
  readonly categories: readonly string[]
  /** Every output field of every model in the file by its name, as they are for these inputs; or why there are none. */
  evaluateOutputs(inputs: Inputs): {
    readonly outputs: Readonly<Record<string, Value>>
    readonly outcome: Outcome
  }
}

/**
 * Makes a PMML model ready: names become slots, constants values, functions are written out, once and for all rows.
 *
 * Every field that the outermost MiningSchema lists is prepared for each row, whether or not the row's path reads it.
 *
 * @throws PmmlFault where the model does not hold together: a name that is not there, a circle, a wrong type.
 */
export function compilePmml(definition: PmmlModel): CompiledPmml {
  const program = new Program()
  const dictionary = new Map(definition.dictionary.map((field) => [field.name, field]))
  const functions = new Map(definition.functions.map((defined) => [defined.name, defined]))
  const scope = new Scope()
  const surroundings: Surroundings = { program, dictionary, functions, outputs: new Map() }
  const inputs = openInputs(definition, scope, surroundings)
  declareDerived(definition.derived, { program, scope, functions })
  const predict = compileModel(
    definition.model,
    scope,
    { dataType: undefined, categories: undefined },
    surroundings,
  )
  const scoreSlot = definition.score === undefined ? undefined : surroundings.outputs.get(definition.score)
  if (definition.score !== undefined && scoreSlot === undefined)
    throw new PmmlFault(`there is no output field ${JSON.stringify(definition.score)} to be the score`)

  const run = (values: Inputs): { frame: Frame; outcome: Outcome } => {
    const frame = program.open()
    try {
      for (const input of inputs) input(values, frame)
      const prediction = predict(frame)
      return {
        frame,
        outcome: outcomeOf(prediction, scoreSlot === undefined ? numberOf(prediction) : frame[scoreSlot]),
      }
    } catch (error) {
      if (error instanceof NoScore) return { frame, outcome: { noScore: error.message } }
      throw error
    }
  }
  return {
    inputs: definition.model.fields.flatMap(({ name, usage }) => (usage === 'target' ? [] : [name])),
    categories: categoriesOf(definition.model, undefined, dictionary),
    evaluate: (values) => run(values).outcome,
    evaluateOutputs: (values) => {
      const { frame, outcome } = run(values)
      const outputs: Record<string, Value> = {}
      for (const [name, slot] of surroundings.outputs) {
        const value = frame[slot]
        outputs[name] = value === UNSET ? undefined : value
      }
      return { outputs, outcome }
    },
  }
}

type Prepare = (values: Inputs, frame: Frame) => void

/** The fields of the outermost MiningSchema: each has a slot that is set before all else. */
function openInputs({ model }: PmmlModel, scope: Scope, { program, dictionary }: Surroundings): Prepare[] {
  return model.fields.flatMap((field) => {
    const { name, usage } = field
    if (usage === 'target') return []
    const data = dictionary.get(name)
    if (!data) throw new PmmlFault(`the data dictionary has no field ${JSON.stringify(name)}`, name)
    if (scope.has(name)) throw new PmmlFault(`there are two fields ${JSON.stringify(name)}`, name)
    const slot = program.slot()
    const treat: Treat = compileTreatment(field, data, data.dataType)
    // only values that are kept as they are can be invalid
    const flag = field.invalid === 'asIs' ? program.slot() : undefined
    scope.declare(name, () => ({
      read: (frame) => frame[slot] as Value,
      slot,
      dataType: data.dataType,
      ...(flag === undefined ? {} : { isInvalid: (frame: Frame) => frame[flag] === true }),
    }))
    // an input called constructor must not be found in every object
    const find =
      name in {} ? (values: Inputs) => (Object.hasOwn(values, name) ? values[name] : undefined) : undefined
    return (values: Inputs, frame: Frame) => {
      const { value, isInvalid } = treat(find ? find(values) : values[name])
      frame[slot] = value
      if (flag !== undefined) frame[flag] = isInvalid
    }
  })
}

function outcomeOf(prediction: Prediction, score: Value | null | typeof UNSET): Outcome {
  if (saysNothing(prediction)) return { noScore: prediction.why ?? 'the model predicts nothing' }
  const { category, categories, probabilities, reasonCodes, contributions = [] } = prediction
  if (score !== null && (typeof score !== 'number' || !Number.isFinite(score)))
    return { noScore: `the score would be ${score === undefined ? 'missing' : String(score)}` }
  return {
    value: score,
    ...(category === undefined ? {} : { category }),
    ...(categories && probabilities ? { probabilities: namedShares(categories, probabilities) } : {}),
    ...(reasonCodes ? { reasonCodes } : {}),
    contributions,
  }
}

/** A model that predicts a category has no number of its own. */
const numberOf = ({ value, category }: Prediction): Value | null =>
  category === undefined || value !== undefined ? value : null

function namedShares(
  categories: readonly string[],
  probabilities: readonly number[],
): Record<string, number> {
  const shares: Record<string, number> = {}
  for (const [at, category] of categories.entries()) shares[category] = probabilities[at] ?? 0
  return shares
}
