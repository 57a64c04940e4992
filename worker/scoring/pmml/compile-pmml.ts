import type { PmmlModel } from '../../../db/scorecards/definition/pmml.ts'
import type { Inputs, Model, Outcome } from '../model.ts'
import { categoriesOf, compileModel, declareDerived, type SharedContext } from './compile-model.ts'
import { NoScore, PmmlError } from './errors.ts'
import { compileTreatment, type Treat } from './mining-schema.ts'
import { isEmptyPrediction, type Prediction } from './prediction.ts'
import { type Frame, Program, Scope, UNSET } from './program.ts'
import type { Value } from './values.ts'

/** A compiled PMML model. */
export interface CompiledPmml extends Model {
  /** Categories that the model can predict, for classification. */
  readonly categories: readonly string[]
  /** Evaluates the model and returns the output fields of all its model elements by name. */
  evaluateOutputs(inputs: Inputs): {
    readonly outputs: Readonly<Record<string, Value>>
    readonly outcome: Outcome
  }
}

/**
 * Compiles a PMML model once for all rows: resolves names to slots, parses constants and inlines functions.
 *
 * Every field that the outermost MiningSchema lists is prepared for each row, whether or not the evaluation reads it.
 *
 * @throws PmmlError if the model is inconsistent: an unknown name, a cycle, a wrong type.
 */
export function compilePmml(definition: PmmlModel): CompiledPmml {
  const program = new Program()
  const dictionary = new Map(definition.dictionary.map((field) => [field.name, field]))
  const functions = new Map(definition.functions.map((defined) => [defined.name, defined]))
  const scope = new Scope()
  const shared: SharedContext = { program, dictionary, functions, outputs: new Map() }
  const inputs = openInputs(definition, scope, shared)
  declareDerived(definition.derived, { program, scope, functions })
  const predict = compileModel(
    definition.model,
    scope,
    { dataType: undefined, categories: undefined },
    shared,
  )
  const scoreSlot = definition.score === undefined ? undefined : shared.outputs.get(definition.score)
  if (definition.score !== undefined && scoreSlot === undefined)
    throw new PmmlError(`the score's output field ${JSON.stringify(definition.score)} does not exist`)

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
      for (const [name, slot] of shared.outputs) {
        const value = frame[slot]
        outputs[name] = value === UNSET ? undefined : value
      }
      return { outputs, outcome }
    },
  }
}

type Prepare = (values: Inputs, frame: Frame) => void

/** Declares the fields of the outermost MiningSchema. Each has a slot that is set before evaluation. */
function openInputs({ model }: PmmlModel, scope: Scope, { program, dictionary }: SharedContext): Prepare[] {
  return model.fields.flatMap((field) => {
    const { name, usage } = field
    if (usage === 'target') return []
    const data = dictionary.get(name)
    if (!data) throw new PmmlError(`the data dictionary has no field ${JSON.stringify(name)}`, name)
    if (scope.has(name)) throw new PmmlError(`duplicate field ${JSON.stringify(name)}`, name)
    const slot = program.slot()
    const treat: Treat = compileTreatment(field, data, data.dataType)
    // only invalid="asIs" passes invalid values on
    const flag = field.invalid === 'asIs' ? program.slot() : undefined
    scope.declare(name, () => ({
      read: (frame) => frame[slot] as Value,
      slot,
      dataType: data.dataType,
      ...(flag === undefined ? {} : { isInvalid: (frame: Frame) => frame[flag] === true }),
    }))
    // an input named constructor must not match the inherited member
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
  if (isEmptyPrediction(prediction)) return { noScore: prediction.reason ?? 'the model has no prediction' }
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

/** Returns the predicted number; null for a model that predicts a category. */
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
