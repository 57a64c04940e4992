import { Scorecard } from '../../db/scorecards/definition/definition.ts'

type JsonObject = Record<string, unknown>

/** Returns a valid definition; `members` replace its members of the same name. */
export function aScorecardDefinition(members: JsonObject = {}): JsonObject {
  return {
    format: 'scorecard/1',
    name: 'Test',
    source: { tool: 'by hand' },
    bad: 'never paid',
    platforms: ['android', 'ios', 'web'],
    inputs: [{ name: 'contacts', feature: 'contacts_count', type: 'number' }],
    model: {
      kind: 'points',
      basePoints: 600,
      characteristics: [
        {
          name: 'contacts',
          input: 'contacts',
          attributes: [
            { below: 100, points: -20 },
            { from: 100, points: 15 },
            { missing: true, points: 0 },
          ],
        },
      ],
    },
    scaling: { pdo: 20, baseScore: 600, baseOdds: 50, odds: 'good:bad' },
    probability: {},
    ...members,
  }
}

export const aScorecard = (members: JsonObject = {}): Scorecard =>
  Scorecard.parse(aScorecardDefinition(members))

/** Lists the errors of a definition, as `path: message`. */
export function errorsOf(members: JsonObject, schema: typeof Scorecard = Scorecard): string[] {
  const result = schema.safeParse(aScorecardDefinition(members))
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

/** Returns the members of a definition with one input and one characteristic with these bins. */
export const overOneInput = (attributes: readonly object[], input: JsonObject = {}): JsonObject => ({
  inputs: [{ name: 'x', feature: 'contacts_count', type: 'number', ...input }],
  model: { kind: 'points', characteristics: [{ name: 'x', input: 'x', attributes }] },
})
