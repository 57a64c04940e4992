import type { OutputField, PmmlElement, Target } from '../../../../db/scorecards/definition/pmml.ts'
import type { ModelContext } from './model-context.ts'
import { anExpression, anInvalid } from './random-expressions.ts'
import { aHalf } from './random-fields.ts'

/** Draws Targets. */
export function someTargets({ draw, categories }: ModelContext, model: PmmlElement): Target[] {
  const { element, function: of } = model
  if (draw.chance(60)) return []
  // prior probabilities need not add up to 1
  const scale = draw.pick([1, 0.5])
  if (of === 'classification')
    return [
      {
        ...{ field: 't', rescaleFactor: 1, rescaleConstant: 0 },
        values: categories.map((value, at) => ({
          value,
          priorProbability: scale * ((categories.length === 2 ? [0.75, 0.25] : [0.5, 0.375, 0.125])[at] ?? 0),
          displayValue: draw.chance(50) ? `the ${value}` : undefined,
        })),
      },
    ]
  return [
    {
      field: 't',
      rescaleFactor: draw.pick([1, 2, -1, 0.25]),
      rescaleConstant: draw.pick([0, 10, -1.25]),
      // only these have exact sums: otherwise the last bit would decide
      castInteger:
        draw.chance(30) && (element === 'Scorecard' || element === 'TreeModel')
          ? draw.pick(['round', 'ceiling', 'floor'] as const)
          : undefined,
      min: draw.chance(30) ? draw.whole(-8, 0) : undefined,
      max: draw.chance(30) ? draw.whole(1, 8) : undefined,
      values: draw.chance(40) ? [{ defaultValue: aHalf(draw) }] : [],
    },
  ]
}

/** Draws output fields that a kind of model supports. */
export function someOutputs(context: ModelContext, element: PmmlElement): OutputField[] {
  const { draw, categories, name } = context
  const basic = { rank: 1, isFinalResult: true }
  const outputs: OutputField[] = []
  const known = [...context.known]
  if (draw.chance(50)) {
    const output = name('o')
    outputs.push({ ...basic, name: output, feature: 'predictedValue' })
    known.push({ name: output, kind: element.function === 'regression' ? 'number' : 'text' })
  }
  if (element.function === 'classification' && draw.chance(60)) {
    const output = name('o')
    const value = draw.chance(80) ? draw.pick(categories) : undefined
    outputs.push({ ...basic, name: output, feature: 'probability', dataType: 'double', value })
    known.push({ name: output, kind: 'number' })
  }
  if (element.function === 'classification' && draw.chance(20))
    outputs.push({ ...basic, name: name('o'), feature: 'predictedDisplayValue' })
  // merged nodes have no id
  const isOneNode = element.element === 'TreeModel' && !/Nodes|Confidence/.test(element.missingValueStrategy)
  if (isOneNode && draw.chance(30)) outputs.push({ ...basic, name: name('o'), feature: 'entityId' })
  if (element.element === 'Scorecard' && element.useReasonCodes)
    outputs.push({ ...basic, name: name('o'), feature: 'reasonCode', rank: draw.whole(1, 3) })
  if (draw.chance(30)) {
    const kind = draw.pick(['number', 'text', 'truth'] as const)
    const dataType = ({ number: 'double', text: 'string', truth: 'boolean' } as const)[kind]
    const expression = anExpression(draw, kind, known, anInvalid(draw))
    outputs.push({ ...basic, name: name('o'), feature: 'transformedValue', dataType, expression })
  }
  return outputs
}
