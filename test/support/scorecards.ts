import { Scorecard } from '../../db/scorecards/definition/definition.ts'

type JsonObject = Record<string, unknown>

/** A valid definition; members given replace those of the same name. */
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

/** Every fault of a definition, as `place: message`. */
export function faultsOf(members: JsonObject, schema: typeof Scorecard = Scorecard): string[] {
  const result = schema.safeParse(aScorecardDefinition(members))
  return result.success ? [] : result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

/** One characteristic with these bins, over one input. */
export const overOneInput = (attributes: readonly object[], input: JsonObject = {}): JsonObject => ({
  inputs: [{ name: 'x', feature: 'contacts_count', type: 'number', ...input }],
  model: { kind: 'points', characteristics: [{ name: 'x', input: 'x', attributes }] },
})
