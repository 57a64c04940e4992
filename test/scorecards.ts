import { Scorecard } from '../db/scorecard.ts'

type JsonObject = Record<string, unknown>

/** A valid definition; members given replace those of the same name. */
export function aScorecardDefinition(members: JsonObject = {}): JsonObject {
  return {
    name: 'Test',
    description: '',
    source: 'made up',
    bad: 'never paid',
    platforms: ['android', 'ios', 'web'],
    intercept: 0,
    scaling: { baseScore: 600, baseOdds: 50, pointsToDoubleOdds: 20 },
    characteristics: [{ feature: 'contacts_count', bins: [{ below: 100, weight: 0 }] }],
    ...members,
  }
}

export const aScorecard = (members: JsonObject = {}): Scorecard =>
  Scorecard.parse(aScorecardDefinition(members))
