import { z } from 'zod'

const Share = z.number().min(0).max(1)
const Count = z.int().min(0)

/** How the rows that a definition brought along came out. */
export const VerifiedRows = z.object({
  rows: Count.meta({ description: 'That the definition has; 0 proves nothing' }),
  matched: Count,
  mismatches: z
    .array(
      z.object({
        row: z.int().min(1).meta({ description: 'Counted from 1' }),
        detail: z.string(),
        inputs: z.record(z.string(), z.unknown()),
      }),
    )
    .meta({ description: 'The first ones' }),
})

export type VerifiedRows = z.output<typeof VerifiedRows>

/** What scores look like together. */
export const Distribution = z.object({
  scored: Count,
  mean: z.number(),
  deviation: z.number(),
  min: z.number(),
  max: z.number(),
  deciles: z
    .array(z.number())
    .meta({ description: 'Nine scores, below which lie a tenth, two tenths, … of all' }),
  meanProbability: Share.nullable(),
})

export type Distribution = z.output<typeof Distribution>

/** Both distributions as columns of equal width, for a picture. */
export const Histogram = z.object({
  from: z.number().meta({ description: 'Where the first column begins' }),
  width: z.number().positive().meta({ description: 'Of a column, in points' }),
  candidate: z.array(Share).meta({ description: 'Share of its scores by column' }),
  champion: z.array(Share).nullable().meta({ description: 'Of the same columns' }),
})

export type Histogram = z.output<typeof Histogram>

/** What a scorecard would have said of stored captures. */
export const DryRun = z.object({
  captures: Count,
  otherPlatforms: Count.meta({ description: 'Of platforms that it is not for' }),
  candidate: Distribution.nullable(),
  champion: Distribution.nullable(),
  withoutScore: z.object({
    count: Count,
    share: Share,
    why: z
      .array(z.object({ reason: z.string(), count: Count }))
      .meta({ description: 'The most frequent ones' }),
  }),
  shift: z
    .object({
      psi: z.number(),
      mark: z.enum(['stable', 'shifting', 'shifted']),
      bins: z.array(z.object({ below: z.number().nullable(), champion: Share, candidate: Share })),
    })
    .nullable()
    .meta({ description: 'Against the champion on the same captures; null without a champion or scores' }),
  histogram: Histogram.nullable().meta({ description: 'Null without scores' }),
  reasons: z.array(
    z.object({
      code: z.string(),
      text: z.string().nullable(),
      share: z.number().min(0).meta({ description: 'Of those that have a score' }),
      shareFirst: Share.meta({ description: 'Of those whose most important reason it is' }),
    }),
  ),
  segments: z.record(z.string(), Count),
})

export type DryRun = z.output<typeof DryRun>

/** What a trial of a definition found. */
export const TrialResult = z.object({ verification: VerifiedRows, dryRun: DryRun })

export type TrialResult = z.output<typeof TrialResult>
