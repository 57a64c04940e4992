import type { ScorecardModel } from '../../../db/scorecards/definition/definition.ts'
import type { FeatureMap, MappedInput } from './feature-map.ts'

/** What a kind of model takes from a map, beside the feature and its values. */
const READ: Record<ScorecardModel['kind'], readonly (keyof MappedInput)[]> = {
  points: ['special', 'missing', 'reason', 'text', 'baseline'],
  trees: ['missing', 'categories', 'reason', 'text'],
  pmml: [],
}

/** Lists what a map says of an input that its kind of model has no use for; a sentence each. */
export function listUnreadColumns(kind: ScorecardModel['kind'], map: FeatureMap | undefined): string[] {
  return [...(map ?? [])].flatMap(([input, mapped]) => {
    const unread = Object.keys(mapped).filter(
      (name) => name !== 'feature' && name !== 'values' && !READ[kind].some((read) => read === name),
    )
    return unread.length === 0
      ? []
      : [
          `The map's ${unread.join(', ')} of ${input} ${unread.length > 1 ? 'are' : 'is'} not read: ${kind === 'pmml' ? 'the file says it itself' : `a model of ${kind} has none`}`,
        ]
  })
}
