import { z } from 'zod'
import { FEATURES, isFeatureName } from './features.ts'

const name = z.string().min(1).max(200)

const Weight = z.number().min(-1_000).max(1_000)

/** A bin by number: `from` ≤ value < `below`; a bound left out is open. */
const RangeBin = z
  .strictObject({ from: z.number().optional(), below: z.number().optional(), weight: Weight })
  .refine((bin) => bin.from !== undefined || bin.below !== undefined, 'give from, below or both')
  .refine(
    (bin) => bin.from === undefined || bin.below === undefined || bin.from < bin.below,
    'from must be less than below',
  )

/** A bin by category or boolean: the value is one of `in`. */
const SetBin = z.strictObject({
  in: z
    .array(z.union([z.string().max(200), z.boolean()]))
    .min(1)
    .max(1_000),
  weight: Weight,
})

const MissingBin = z.strictObject({ missing: z.literal(true), weight: Weight })

const ElseBin = z.strictObject({ else: z.literal(true), weight: Weight })

const Bin = z.union(
  [RangeBin, SetBin, MissingBin, ElseBin],
  'must have a weight, one of from and below, in, missing: true or else: true, and nothing else',
)

const Characteristic = z.strictObject({
  feature: z.string(),
  bins: z.array(Bin).min(1).max(200),
})

/**
 * A points scorecard in its simple form.
 *
 * Log-odds of good:bad = `intercept` + the weight of the first matching bin of each characteristic (natural
 * logarithm). Score = `baseScore` + `pointsToDoubleOdds` / ln 2 × (log-odds − ln `baseOdds`), `baseOdds` as good:bad.
 * Probability of default = 1 / (1 + e^log-odds).
 *
 * @see Siddiqi, Credit Risk Scorecards (2006), chapter 6, scaling
 */
export const Scorecard = z
  .strictObject({
    name,
    description: z.string().max(4_000),
    source: z.string().min(1).max(4_000).meta({ description: 'Where the numbers come from' }),
    bad: z
      .string()
      .min(1)
      .max(1_000)
      .meta({ description: 'What counts as bad: the event that the probability is of' }),
    demonstration: z.boolean().default(false),
    platforms: z.array(z.enum(['android', 'ios', 'web'])).min(1),
    intercept: z.number().min(-1_000).max(1_000),
    scaling: z.strictObject({
      baseScore: z.number().min(-1_000_000).max(1_000_000),
      baseOdds: z.number().positive().max(1_000_000),
      pointsToDoubleOdds: z.number().positive().max(100_000),
    }),
    characteristics: z.array(Characteristic).min(1).max(500),
  })
  .superRefine((card, context) => {
    const seen = new Set<string>()
    for (const [at, { feature, bins }] of card.characteristics.entries()) {
      const fault = (message: string, ...path: (string | number)[]) =>
        context.addIssue({ code: 'custom', message, path: ['characteristics', at, ...path] })
      if (seen.has(feature)) fault(`${feature} has a characteristic already`, 'feature')
      seen.add(feature)
      if (!isFeatureName(feature)) {
        fault(`there is no feature ${JSON.stringify(feature)}`, 'feature')
        continue
      }
      const definition = FEATURES[feature]
      if (!card.platforms.some((platform) => (definition.platforms as readonly string[]).includes(platform)))
        fault(`${feature} is not computed for ${card.platforms.join(', ')}`, 'feature')
      bins.forEach((bin, n) => {
        if ('in' in bin) {
          const wanted = definition.type === 'boolean' ? 'boolean' : 'string'
          if (definition.type === 'number')
            fault(`${feature} is a number: use from and below`, 'bins', n, 'in')
          else if (bin.in.some((value) => typeof value !== wanted))
            fault(
              `${feature} is a ${definition.type}: every value of in must be a ${wanted}`,
              'bins',
              n,
              'in',
            )
        } else if (('from' in bin || 'below' in bin) && definition.type !== 'number')
          fault(`${feature} is a ${definition.type}: use in`, 'bins', n)
      })
      for (const kind of ['missing', 'else'] as const)
        if (bins.filter((bin) => kind in bin).length > 1) fault(`more than one bin for ${kind}`, 'bins')
    }
  })

/** A validated points scorecard. */
export type Scorecard = z.output<typeof Scorecard>
