import type { ScorecardModel } from '../../../db/scorecards/definition/definition.ts'
import type { FeatureMap, MappedInput } from './feature-map.ts'

/** Columns of a map that each kind of model uses, besides the feature and its values. */
const READ: Record<ScorecardModel['kind'], readonly (keyof MappedInput)[]> = {
  points: ['special', 'missing', 'reason', 'text', 'baseline'],
  trees: ['missing', 'categories', 'reason', 'text'],
  pmml: [],
}

/** Returns a sentence per input with columns that its kind of model does not use. */
export function listUnreadColumns(kind: ScorecardModel['kind'], map: FeatureMap | undefined): string[] {
  return [...(map ?? [])].flatMap(([input, mapped]) => {
    const unread = Object.keys(mapped).filter(
      (name) => name !== 'feature' && name !== 'values' && !READ[kind].some((read) => read === name),
    )
    return unread.length === 0
      ? []
      : [
          `The map's ${unread.join(', ')} of ${input} ${unread.length > 1 ? 'are' : 'is'} not used: ${kind === 'pmml' ? 'the file defines it' : `not supported for a ${kind} model`}`,
        ]
  })
}
