import type { OutputField, PmmlElement } from '../../../../db/scorecards/definition/pmml.ts'
import { evaluateExpression } from './expressions.ts'
import type { Fields } from './fields.ts'
import type { Prediction } from './prediction.ts'
import { castTo, type Value } from './values.ts'

/**
 * Computes the output fields in their order; each is a field for those after it.
 *
 * @see https://dmg.org/pmml/v4-4-1/Output.html
 */
export function addOutputs(model: PmmlElement, prediction: Prediction, fields: Fields): void {
  for (const output of model.outputs)
    fields.values.set(output.name, castTo(outputOf(output, model, prediction, fields), output.dataType))
}

function outputOf(
  { feature, value, rank, expression }: OutputField,
  model: PmmlElement,
  prediction: Prediction,
  fields: Fields,
): Value {
  if (feature === 'transformedValue' || feature === 'decision')
    return expression && evaluateExpression(expression, fields)
  if (prediction.value === undefined) return undefined
  const category = value ?? String(prediction.value)
  switch (feature) {
    case 'predictedValue':
      return prediction.value
    case 'predictedDisplayValue':
      return (
        model.targets[0]?.values.find((one) => one.value === String(prediction.value))?.displayValue ??
        prediction.value
      )
    case 'probability':
      return prediction.probabilities && (prediction.probabilities.get(category) ?? 0)
    case 'confidence':
      return prediction.confidences?.get(category)
    case 'entityId':
      return prediction.entityId
    case 'reasonCode':
      return prediction.reasonCodes?.[rank - 1]
  }
}
