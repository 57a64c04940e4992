import type { PmmlElement, PmmlMining } from '../../../../db/scorecards/definition/pmml.ts'
import type { Draw } from './draw.ts'
import type { Kind, RandomField } from './random-fields.ts'
import { aPredicate } from './random-predicates.ts'

interface ModelContext {
  readonly draw: Draw
  readonly known: RandomField[]
}

const METHODS = {
  regression: ['sum', 'weightedSum', 'average', 'weightedAverage', 'median', 'selectFirst', 'modelChain'],
  classification: [
    'majorityVote',
    'weightedMajorityVote',
    'average',
    'weightedAverage',
    'median',
    'max',
    'selectFirst',
    'modelChain',
  ],
} as const

/** Draws a segmentation; segments of a chain can refer to earlier outputs. */
export function aMining<P extends ModelContext>(
  context: P,
  common: Pick<PmmlMining, 'function' | 'fields' | 'derived' | 'targets' | 'outputs'>,
  anElement: (context: P, modelFunction: PmmlElement['function']) => PmmlElement,
): PmmlMining {
  const { draw } = context
  const method = draw.pick(METHODS[common.function])
  const isChain = method === 'modelChain'
  const count = draw.whole(1, 3)
  const segments = Array.from({ length: count }, (_, at) => {
    const isLast = at === count - 1
    const predicate = draw.chance(60) ? { element: 'True' as const } : aPredicate(draw, context.known)
    const of = isChain && !isLast ? draw.pick(['regression', 'classification'] as const) : common.function
    // segments share the target, whose values depend on the function
    const model = anElement(context, of === common.function ? of : common.function)
    if (isChain) context.known.push(...outputsOf(model))
    return {
      id: draw.chance(50) ? `s${at}` : undefined,
      weight: draw.pick([1, 2, 0.5]),
      predicate,
      model,
    }
  })
  return {
    element: 'MiningModel',
    ...common,
    method,
    missingPredictionTreatment: draw.pick(['continue', 'skipSegment', 'returnMissing']),
    missingThreshold: draw.pick([1, 0.5, 0.25]),
    segments,
  }
}

/** Outputs of a segment that expressions and predicates can refer to. */
const outputsOf = (model: PmmlElement): RandomField[] =>
  model.outputs.flatMap(({ name, feature, dataType }): RandomField[] => {
    if (dataType !== undefined) return [{ name, kind: KINDS[dataType] ?? 'text' }]
    return feature === 'predictedValue' && model.function === 'regression' ? [{ name, kind: 'number' }] : []
  })

const KINDS: Record<string, Kind> = { double: 'number', string: 'text', boolean: 'truth' }
