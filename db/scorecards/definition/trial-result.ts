import { z } from 'zod'

const Share = z
  .number()
  .min(0)
  .max(1)
  .meta({ examples: [0.1] })
const Count = z
  .int()
  .min(0)
  .meta({ examples: [3] })

/** Results of a definition's verification rows. */
export const VerifiedRows = z.object({
  rows: Count.meta({ description: 'Rows of the definition; 0 verifies nothing' }),
  matched: Count.meta({ description: 'Rows with the expected result' }),
  mismatches: z
    .array(
      z.object({
        row: z
          .int()
          .min(1)
          .meta({ description: 'Counted from 1', examples: [2] }),
        detail: z.string().meta({ description: 'What differs', examples: ['score 496, expected 495'] }),
        inputs: z
          .record(z.string(), z.unknown())
          .meta({ description: 'Inputs of the row', examples: [{ device_brand: 'nokia' }] }),
      }),
    )
    .meta({ description: 'The first rows with another result', examples: [[]] }),
})

export type VerifiedRows = z.output<typeof VerifiedRows>

/** A distribution of scores. */
export const Distribution = z.object({
  scored: Count.meta({ description: 'Captures that have a score', examples: [9_812] }),
  mean: z.number().meta({ description: 'Mean of the scores', examples: [598.4] }),
  deviation: z.number().meta({ description: 'Standard deviation of the scores', examples: [41.2] }),
  min: z.number().meta({ description: 'Least score', examples: [452] }),
  max: z.number().meta({ description: 'Greatest score', examples: [731] }),
  deciles: z.array(z.number()).meta({
    description: 'The nine scores below which 10 %, 20 %, … of all lie',
    examples: [[545, 562, 575, 587, 598, 609, 621, 634, 652]],
  }),
  meanProbability: Share.nullable().meta({
    description: 'Mean of the probabilities; null if there are none',
  }),
})

export type Distribution = z.output<typeof Distribution>

/** Both distributions as columns of equal width, for a chart. */
export const Histogram = z.object({
  from: z.number().meta({ description: 'Lower end of the first column', examples: [450] }),
  width: z
    .number()
    .positive()
    .meta({ description: 'Width of a column, in points', examples: [100] }),
  candidate: z
    .array(Share)
    .meta({ description: 'Share of its scores by column', examples: [[0.41, 0.52, 0.07]] }),
  champion: z
    .array(Share)
    .nullable()
    .meta({ description: 'Share of the champion in the same columns; null without one', examples: [null] }),
})

export type Histogram = z.output<typeof Histogram>

/** Backtest results of a scorecard on stored captures. */
export const DryRun = z.object({
  captures: Count.meta({ description: 'Captures that were scored', examples: [10_000] }),
  otherPlatforms: Count.meta({
    description: 'Captures excluded because of their platform',
    examples: [1_059],
  }),
  candidate: Distribution.nullable().meta({ description: 'Scores of the version; null without scores' }),
  champion: Distribution.nullable().meta({
    description: 'Scores of the champion; null without one',
    examples: [null],
  }),
  withoutScore: z
    .object({
      count: Count.meta({ description: 'Captures without a score', examples: [188] }),
      share: Share.meta({ description: 'Their share', examples: [0.0188] }),
      why: z
        .array(
          z.object({
            reason: z
              .string()
              .meta({ description: 'Reason for the missing score', examples: ['device_id is missing'] }),
            count: Count.meta({ description: 'Captures', examples: [188] }),
          }),
        )
        .meta({ description: 'The most frequent reasons' }),
    })
    .meta({ description: 'Captures that it cannot score' }),
  shift: z
    .object({
      psi: z.number().meta({ description: 'Population stability index', examples: [0.04] }),
      mark: z.enum(['stable', 'shifting', 'shifted']).meta({ description: 'Below 0.10, below 0.25, above' }),
      bins: z
        .array(
          z.object({
            below: z
              .number()
              .nullable()
              .meta({ description: 'Upper end of the bin; null for the last one', examples: [545] }),
            champion: Share.meta({ description: 'Share of the champion in the bin' }),
            candidate: Share.meta({ description: 'Share of the version in the bin' }),
          }),
        )
        .meta({ description: 'Bins of equal share of the champion' }),
    })
    .nullable()
    .meta({
      description: 'Comparison with the champion on the same captures; null without a champion or scores',
      examples: [null],
    }),
  histogram: Histogram.nullable().meta({ description: 'Null without scores' }),
  reasons: z
    .array(
      z.object({
        code: z.string().meta({ description: 'Code of the reason', examples: ['R07'] }),
        text: z
          .string()
          .nullable()
          .meta({
            description: 'Text of the reason; null where there is none',
            examples: ['Many recent installs'],
          }),
        share: z
          .number()
          .min(0)
          .meta({ description: 'Share of the captures with a score', examples: [0.31] }),
        shareFirst: Share.meta({
          description: 'Share of the captures with this as the most important reason',
        }),
      }),
    )
    .meta({ description: 'Frequency of each reason' }),
  segments: z
    .record(z.string(), Count)
    .meta({ description: 'Captures by segment; empty without segments', examples: [{}] }),
})

export type DryRun = z.output<typeof DryRun>

/** The result of a trial (backtest). */
export const TrialResult = z.object({
  verification: VerifiedRows.meta({ description: 'Results of the verification rows of the definition' }),
  dryRun: DryRun.meta({ description: 'Backtest on stored captures' }),
})

export type TrialResult = z.output<typeof TrialResult>
