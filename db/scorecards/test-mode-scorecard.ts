import { Scorecard } from './definition/definition.ts'

/** Code of the scorecard that only test modes have. */
export const TEST_MODE_CODE = 'test_mode'

/**
 * Returns the scorecard that test modes have besides those of their subscription: it scores every capture with a time zone, and no other,
 * so that a dataset without a score can be asked for whatever the other scorecards accept.
 */
export const testModeScorecard = (): Scorecard =>
  Scorecard.parse({
    format: 'scorecard/1',
    name: 'Test mode',
    description:
      'Of test modes only: has no score for a capture without a time zone. It must not decide about anyone.',
    source: { tool: 'by hand', note: 'No data: points were set by hand.' },
    bad: 'none',
    demonstration: true,
    platforms: ['android', 'ios', 'web'],
    inputs: [{ name: 'time_hour_local', feature: 'time_hour_local', type: 'number', required: true }],
    model: {
      kind: 'points',
      basePoints: 600,
      characteristics: [
        {
          name: 'time_hour_local',
          input: 'time_hour_local',
          reasonCode: 'HOUR',
          baseline: 0,
          attributes: [
            { below: 6, points: -20 },
            { from: 6, below: 22, points: 0 },
            { from: 22, points: -20 },
          ],
        },
      ],
    },
    scaling: { pdo: 40, baseScore: 600, baseOdds: 20, odds: 'good:bad' },
    probability: { from: 'scaling' },
    reasons: { texts: { HOUR: { en: 'Hour of day of the application' } } },
  })
