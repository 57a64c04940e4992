import type { OutputField } from '../../../db/scorecards/definition/pmml.ts'
import { PmmlError } from './errors.ts'
import { type Context, compileExpression } from './expressions.ts'
import { categoryOf, type Prediction } from './prediction.ts'
import type { Field, Frame, Program } from './program.ts'
import { UNSET } from './program.ts'
import type { RegressionTarget } from './regression.ts'
import { cast, type Value } from './values.ts'

/** A value of the target and its display value. */
export interface Display {
  readonly value: string
  readonly display: string
}

/** Writes the output fields of a model to the frame, from which expressions and later segments read them. */
type WriteOutputs = (frame: Frame, prediction: Prediction) => void

/** An output field; missing if its model was not evaluated. */
export function outputField(slot: number, dataType: OutputField['dataType']): Field {
  return {
    read: (frame) => {
      const value = frame[slot]
      return value === UNSET ? undefined : value
    },
    dataType,
  }
}

/**
 * Compiles the output fields of a model.
 *
 * @param slots slot of each output field by name.
 * @see https://dmg.org/pmml/v4-4/Output.html
 */
export function compileOutputs(
  outputs: readonly OutputField[],
  slots: ReadonlyMap<string, number>,
  context: Context,
  target: RegressionTarget & { readonly display: readonly Display[] },
): WriteOutputs {
  const writes = outputs.map((output) => {
    const { name } = output
    const slot = slots.get(name) ?? context.program.slot()
    const compute = compileFeature(output, context, target)
    context.scope.declare(name, () => outputField(slot, output.dataType))
    return (frame: Frame, prediction: Prediction) => {
      frame[slot] = cast(compute(frame, prediction), output.dataType, name)
    }
  })
  return (frame, prediction) => {
    for (const write of writes) write(frame, prediction)
  }
}

type Compute = (frame: Frame, prediction: Prediction) => Value

function compileFeature(
  output: OutputField,
  context: Context,
  target: RegressionTarget & { readonly display: readonly Display[] },
): Compute {
  const { feature, name, rank, expression } = output
  const value = output.value === undefined ? undefined : categoryOf(output.value, target.dataType)
  switch (feature) {
    case 'predictedValue':
      return (_, prediction) =>
        rank === 1 ? (prediction.value ?? prediction.category) : ranked(prediction, rank)
    case 'predictedDisplayValue': {
      const texts = new Map(
        target.display.map(({ value: text, display }) => [categoryOf(text, target.dataType), display]),
      )
      return (_, { category, value: number }) => texts.get(category ?? String(number)) ?? category ?? number
    }
    case 'transformedValue':
    case 'decision': {
      if (!expression) throw new PmmlError(`the output ${name} has no expression`, name)
      return compileExpression(expression, context)
    }
    case 'probability':
    case 'confidence': {
      const of = feature === 'probability' ? 'probabilities' : 'confidences'
      return (_, prediction) => {
        const category = value ?? (rank === 1 ? prediction.category : ranked(prediction, rank))
        const index = category === undefined ? -1 : (prediction.categories?.indexOf(category) ?? -1)
        const shares = prediction[of] ?? prediction.probabilities
        if (!shares) return undefined
        // a category unknown to the model has probability 0
        return index < 0 ? (category === undefined ? undefined : 0) : shares[index]
      }
    }
    case 'entityId':
      return (_, { entityId }) => entityId
    case 'reasonCode':
      return (_, { reasonCodes }) => reasonCodes?.[rank - 1]
  }
}

/** Returns the category of a rank by probability; ties in the order of the model. */
function ranked({ categories = [], probabilities = [] }: Prediction, rank: number): string | undefined {
  const order = categories
    .map((_, at) => at)
    .sort((a, b) => (probabilities[b] ?? 0) - (probabilities[a] ?? 0) || a - b)
  return categories[order[rank - 1] ?? -1]
}

/** Allocates a slot for each output field. Fields of the same name share it, as mutually exclusive segments may have. */
export function slotsOfOutputs(
  outputs: readonly OutputField[],
  program: Program,
  known: Map<string, number>,
): Map<string, number> {
  for (const { name } of outputs) if (!known.has(name)) known.set(name, program.slot())
  return known
}
