import { z } from 'zod'
import type { Db } from '../../db/database.ts'
import type { Scorecard, ScorecardModel, When } from '../../db/scorecard/definition.ts'
import { presentBin } from '../../db/scorecard/present-bin.ts'
import { listDefinitions } from '../../db/scorecards.ts'
import { aboutVersion } from './about-version.ts'
import { describePoints, describePredicate, inBrackets } from './describe-predicate.ts'
import { Version } from './scorecard-schemas.ts'

const Characteristic = z.object({
  name: z.string(),
  input: z.string().nullable(),
  reason: z.object({ code: z.string(), text: z.string().nullable() }).nullable(),
  baseline: z.number().nullable().meta({ description: 'What its points are compared with for reasons' }),
  bins: z.array(
    z.object({
      bin: z.string().meta({ description: 'As explanations name it' }),
      points: z.string().meta({ description: 'A number, or how they are computed' }),
    }),
  ),
})

const Summary = z
  .object({
    version: Version,
    name: z.string(),
    description: z.string(),
    bad: z.string().meta({ description: 'What counts as bad: what the probability is of' }),
    source: z.object({ tool: z.string(), note: z.string().nullable() }),
    demonstration: z.boolean(),
    platforms: z.array(z.string()),
    reasonPoints: z
      .enum(['belowBaseline', 'aboveBaseline'])
      .meta({ description: 'Which points make a characteristic a reason' }),
    inputs: z.array(
      z.object({
        name: z.string(),
        feature: z.string().nullable(),
        type: z.string(),
        required: z.boolean(),
      }),
    ),
    models: z.array(
      z.object({
        segment: z.string().nullable(),
        when: z.string().nullable().meta({ description: 'Which datasets it scores, of those left' }),
        kind: z.enum(['points', 'pmml', 'trees']),
        basePoints: z.number().nullable(),
        size: z.string().meta({ description: 'As in "13 characteristics" or "300 trees of 38,100 nodes"' }),
        characteristics: z.array(Characteristic).meta({ description: 'Of a points model; empty for others' }),
      }),
    ),
    scaling: z
      .object({
        pdo: z.number(),
        baseScore: z.number(),
        baseOdds: z.number(),
        odds: z.string(),
        direction: z.string(),
      })
      .nullable(),
    probability: z.string().nullable().meta({ description: 'What it is computed from' }),
    output: z.object({ min: z.number().nullable(), max: z.number().nullable(), rounding: z.string() }),
    exclusions: z.array(z.object({ when: z.string(), reason: z.string() })),
    verificationRows: z.int(),
  })
  .meta({ id: 'ScorecardSummary', description: 'A definition for people' })

export const scorecardSummary = (db: Db) =>
  aboutVersion(
    {
      path: '/api/scorecards/v1/:version/summary',
      operationId: 'summariseScorecard',
      summary: 'Read a definition as a table of characteristics and bins',
      answer: { description: 'What a person wants to know of it', schema: Summary },
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
