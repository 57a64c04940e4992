import type { OutputField } from '../../../db/scorecards/definition/pmml.ts'
import { type Context, compileExpression } from './expressions.ts'
import { PmmlFault } from './faults.ts'
import { categoryOf, type Prediction } from './prediction.ts'
import type { Field, Frame, Program } from './program.ts'
import { UNSET } from './program.ts'
import type { RegressionTarget } from './regression.ts'
import { cast, type Value } from './values.ts'

/** A value of the target, and its text for a person. */
export interface Display {
  readonly value: string
  readonly display: string
}

/** Writes the output fields of a model into the frame, where expressions and later segments read them. */
type WriteOutputs = (frame: Frame, prediction: Prediction) => void

/** A field that a model has set by the time that it is read; missing where the model was not asked. */
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
 * @param slots where each output field lies, by its name.
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
      if (!expression) throw new PmmlFault(`the output ${name} has no expression`, name)
      return compileExpression(expression, context)
    }
    case 'probability':
    case 'confidence': {
      const of = feature === 'probability' ? 'probabilities' : 'confidences'
      return (_, prediction) => {
        const category = value ?? (rank === 1 ? prediction.category : ranked(prediction, rank))
        const place = category === undefined ? -1 : (prediction.categories?.indexOf(category) ?? -1)
        const shares = prediction[of] ?? prediction.probabilities
        if (!shares) return undefined
        // a category that the model never names has no share
        return place < 0 ? (category === undefined ? undefined : 0) : shares[place]
      }
    }
    case 'entityId':
      return (_, { entityId }) => entityId
    case 'reasonCode':
      return (_, { reasonCodes }) => reasonCodes?.[rank - 1]
  }
}

/** The category of a rank by probability; among equals the order of the model. */
function ranked({ categories = [], probabilities = [] }: Prediction, rank: number): string | undefined {
  const order = categories
    .map((_, at) => at)
    .sort((a, b) => (probabilities[b] ?? 0) - (probabilities[a] ?? 0) || a - b)
  return categories[order[rank - 1] ?? -1]
}

/** A slot for each output field; those of one name share it, as segments that exclude one another do. */
export function slotsOfOutputs(
  outputs: readonly OutputField[],
  program: Program,
  known: Map<string, number>,
): Map<string, number> {
  for (const { name } of outputs) if (!known.has(name)) known.set(name, program.slot())
  return known
}
