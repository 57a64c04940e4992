import type { PmmlElement, PmmlModel } from '../../../../db/scorecards/definition/pmml.ts'
import { addDerived } from './derived-fields.ts'
import { type Fields, findValue, within } from './fields.ts'
import { evaluateGeneralRegression } from './general-regression.ts'
import { evaluateMining } from './mining.ts'
import { prepareInner, prepareValue } from './mining-schema.ts'
import { addOutputs } from './output.ts'
import type { Prediction } from './prediction.ts'
import { evaluateRegression } from './regression.ts'
import { evaluateScorecard } from './scorecard.ts'
import { predictDefault } from './targets.ts'
import { evaluateTree } from './tree.ts'
import { InvalidResult, type Value } from './values.ts'

/** Result of a row: no score, or a prediction with every output field of the outermost model. */
export type ReferenceResult =
  | { readonly noScore: string }
  | { readonly prediction: Prediction; readonly score: Value; readonly outputs: ReadonlyMap<string, Value> }

/**
 * Interprets a definition literally for one row, without compilation or caching. Written from the PMML standard, it shares
 * no code with the worker.
 *
 * @param row values by field name; undefined is missing.
 */
export function evaluateRow(definition: PmmlModel, row: Readonly<Record<string, Value>>): ReferenceResult {
  const dictionary = new Map(definition.dictionary.map((field) => [field.name, field]))
  const functions = new Map(definition.functions.map((one) => [one.name, one]))
  const outside: Fields = {
    ...{ enclosing: undefined, values: new Map(), derived: new Map(), invalid: new Set() },
    ...{ dictionary, functions },
  }
  const { model } = definition
  try {
    for (const field of model.fields) {
      const data = dictionary.get(field.name)
      if (!data) throw new Error(`no DataField ${field.name}`)
      if (field.usage === 'target') continue
      const { value, isInvalid } = prepareValue(row[field.name], field, data)
      outside.values.set(field.name, value)
      if (isInvalid) outside.invalid.add(field.name)
    }
    addDerived(outside, definition.derived)
    const own = within(outside)
    const prediction = evaluate(model, own)
    if (prediction.value === undefined) return { noScore: 'no prediction' }
    const score = definition.score === undefined ? prediction.value : findValue(own, definition.score)
    const isNumber = model.function === 'regression' || definition.score !== undefined
    if (isNumber && !(typeof score === 'number' && Number.isFinite(score)))
      return { noScore: 'the score is not a finite number' }
    return { prediction, score, outputs: own.values }
  } catch (error) {
    if (error instanceof InvalidResult) return { noScore: error.message }
    throw error
  }
}

/** Evaluates a model in its own scope and adds its outputs to it. */
function evaluate(model: PmmlElement, own: Fields): Prediction {
  addDerived(own, model.derived)
  const predicted = predict(model, own)
  const prediction = predicted.value === undefined ? predictDefault(model) : predicted
  addOutputs(model, prediction, own)
  return prediction
}

function predict(model: PmmlElement, own: Fields): Prediction {
  switch (model.element) {
    case 'Scorecard':
      return evaluateScorecard(model, own)
    case 'RegressionModel':
      return evaluateRegression(model, own)
    case 'GeneralRegressionModel':
      return evaluateGeneralRegression(model, own)
    case 'TreeModel':
      return evaluateTree(model, own)
    case 'MiningModel':
      if (model.method === 'modelChain') for (const name of outputsOf(model)) own.values.set(name, undefined)
      return evaluateMining(model, own, (inner, fields) => evaluateSegment(inner, fields, model.method))
  }
}

const outputsOf = ({ segments }: Extract<PmmlElement, { element: 'MiningModel' }>): string[] =>
  segments.flatMap(({ model }) => model.outputs.map(({ name }) => name))

/** Evaluates a segment on the fields of the enclosing model, treated by its own MiningSchema. */
function evaluateSegment(model: PmmlElement, enclosing: Fields, method: string): Prediction {
  const own = within(enclosing)
  for (const field of model.fields) {
    const data = enclosing.dictionary.get(field.name)
    if (field.usage !== 'target' && data)
      own.values.set(field.name, prepareInner(findValue(enclosing, field.name), field, data))
  }
  const prediction = evaluate(model, own)
  // later segments of a chain, and the outputs of the chain, can refer to these
  if (method === 'modelChain')
    for (const { name } of model.outputs) enclosing.values.set(name, own.values.get(name))
  return prediction
}
