import { z } from 'zod'
import { PLATFORMS } from '../../capture/capture.ts'
import { FEATURES, isFeatureName } from '../../capture/features.ts'
import { Input, InputName } from './inputs.ts'
import type { ModelError, ModelNames } from './model-errors.ts'
import { namesOfPmml, PmmlModel } from './pmml.ts'
import { namesOfPoints, PointsModel, ReasonCode, validatePoints } from './points.ts'
import { inputsOfPredicate, Predicate } from './predicate.ts'
import { presentBin } from './present-bin.ts'
import { findCostError } from './row-cost.ts'
import { namesOfTrees, TreesModel } from './trees.ts'

/** The model that computes a score from inputs, by its kind. */
export const ScorecardModel = z.discriminatedUnion('kind', [PointsModel, PmmlModel, TreesModel])

export type ScorecardModel = z.output<typeof ScorecardModel>

/** A selection of datasets, which have to match all conditions; without conditions, all datasets. */
const When = z.strictObject({
  platforms: z.array(z.enum(PLATFORMS)).min(1).optional(),
  fewerInputsThan: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: 'A thin capture: fewer known inputs than this' }),
  predicate: Predicate.optional(),
})

export type When = z.output<typeof When>

const Segment = z.strictObject({ name: z.string().min(1).max(200), when: When, model: ScorecardModel })

/**
 * Maps log-odds to a score and back: `baseScore` at `baseOdds`, and `pdo` more (or less, by direction) for double odds.
 *
 * @see Siddiqi, Credit Risk Scorecards (2006), chapter 6, scaling
 */
const Scaling = z.strictObject({
  pdo: z.number().positive().max(1_000_000).meta({ description: 'Points to double the odds' }),
  baseScore: z.number().min(-1_000_000).max(1_000_000),
  baseOdds: z.number().positive().max(1_000_000_000),
  odds: z.enum(['good:bad', 'bad:good']).meta({ description: 'The meaning of baseOdds' }),
  direction: z.enum(['higherIsBetter', 'higherIsWorse']).default('higherIsBetter'),
})

export type Scaling = z.output<typeof Scaling>

const Share = z.number().min(0).max(1)

/**
 * The source of the probability of bad. `from` left out: the model's log-odds if they are exact, otherwise the scaling line.
 */
const Probability = z.strictObject({
  from: z.enum(['logit', 'scaling', 'table', 'model']).optional().meta({
    description:
      'The log-odds of the model, the scaling line at the unrounded score, a table of scores, the model itself',
  }),
  badCategory: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'For a model that gives probabilities of categories' }),
  table: z
    .array(z.strictObject({ below: z.number().optional(), probability: Share }))
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: 'By unrounded score, ascending; the last one has no below' }),
  calibration: z
    .strictObject({ intercept: z.number().min(-1_000).max(1_000), slope: z.number().positive().max(1_000) })
    .optional()
    .meta({ description: 'log-odds of bad become intercept + slope × log-odds' }),
  floor: Share.optional(),
  ceiling: Share.optional(),
})

/** The score and its conversion to a whole number: rounded, then limited to min and max. */
const Output = z.strictObject({
  from: z
    .enum(['model', 'scaling'])
    .default('model')
    .meta({ description: 'The result of the model, as with points, or the scaling line at its log-odds' }),
  rounding: z.enum(['halfAwayFromZero', 'halfEven']).default('halfAwayFromZero'),
  min: z.int().optional(),
  max: z.int().optional(),
})

const Reasons = z.strictObject({
  points: z
    .enum(['belowBaseline', 'aboveBaseline'])
    .default('belowBaseline')
    .meta({ description: 'Points that are a reason' }),
  atMost: z.int().min(0).max(4).default(4),
  withoutDifference: z
    .boolean()
    .default(false)
    .meta({ description: 'Points at the baseline are a reason too, as in some tools' }),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/)
    .default('en')
    .meta({
      description: 'The default language; every text must have it',
    }),
  texts: z
    .record(
      ReasonCode,
      z.record(z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/), z.string().min(1).max(1_000)),
    )
    .default({})
    .meta({ description: 'By reason code, by language' }),
})

const Exclusion = z.strictObject({
  when: When,
  reason: z
    .string()
    .min(1)
    .max(1_000)
    .meta({ description: 'The reason for the missing score, for a person' }),
})

/** Shares of a population when the scorecard was built; each set adds up to 1. */
const Expected = z.strictObject({
  scores: z
    .array(z.strictObject({ below: z.number().optional(), share: Share }))
    .min(2)
    .max(1_000)
    .optional()
    .meta({ description: 'Ascending; the last one has no below' }),
  characteristics: z
    .record(z.string(), z.record(z.string(), Share))
    .optional()
    .meta({ description: 'By name of the characteristic, then by bin as named in explanations' }),
})

const Value = z.union([z.number(), z.string().max(200), z.boolean(), z.null()])

const Verification = z.strictObject({
  inputs: z.record(InputName, Value).meta({ description: 'Null or left out: missing' }),
  platform: z.enum(PLATFORMS).optional(),
  score: z.number().nullable().optional(),
  probability: Share.nullable().optional(),
  reasonCodes: z.array(z.string()).max(100).optional(),
})

/**
 * A scorecard as it was built, checked in itself: the model reads declared inputs, every value has one bin, every reason a text.
 * Its inputs need no features yet.
 */
export const BuiltScorecard = z
  .strictObject({
    format: z.literal('scorecard/1'),
    name: z.string().min(1).max(200),
    description: z.string().max(4_000).default(''),
    source: z
      .strictObject({
        tool: z.string().min(1).max(200),
        note: z.string().max(4_000).optional(),
        sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .optional(),
      })
      .meta({ description: 'The origin of the numbers; sha256 of the imported file' }),
    bad: z
      .string()
      .min(1)
      .max(1_000)
      .meta({ description: 'The event that counts as bad, whose probability is computed' }),
    demonstration: z.boolean().default(false),
    platforms: z.array(z.enum(PLATFORMS)).min(1),
    inputs: z.array(Input).max(10_000),
    model: ScorecardModel.optional(),
    segments: z
      .array(Segment)
      .min(1)
      .max(100)
      .optional()
      .meta({ description: 'Instead of one model; the first segment that a dataset matches scores it' }),
    scaling: Scaling.optional(),
    probability: Probability.optional().meta({ description: 'Left out: scores have no probability' }),
    output: Output.prefault({}),
    reasons: Reasons.prefault({}),
    exclusions: z.array(Exclusion).max(100).default([]),
    expected: Expected.optional(),
    verification: z.array(Verification).max(10_000).default([]).meta({
      description: 'Rows computed by the tool; a scorecard with different results is not deployed',
    }),
  })
  .superRefine((card, context) => {
    const report = (message: string, path: readonly (string | number)[]) =>
      context.addIssue({ code: 'custom', message, path: [...path] })
    const inputs = checkInputs(card.inputs, report)
    if ((card.model === undefined) === (card.segments === undefined))
      report('give model or segments', ['model'])
    for (const { model, path } of modelsOf(card)) {
      const { inputs: read, reasonCodes } = namesOf(model)
      for (const { name, path: at } of read)
        if (!inputs.has(name)) report(`there is no input ${JSON.stringify(name)}`, [...path, ...at])
      for (const { code, path: at } of reasonCodes)
        if (card.reasons.texts[code]?.[card.reasons.language] === undefined)
          report(`the reason ${JSON.stringify(code)} has no text in ${card.reasons.language}`, [
            ...path,
            ...at,
          ])
      if (model.kind === 'points')
        for (const { message, path: at } of validatePoints(model, inputs)) report(message, [...path, ...at])
    }
    checkWhens(card, inputs, report)
    checkScale(card, report)
    checkExpected(card, report)
    for (const [at, { inputs: row }] of card.verification.entries())
      for (const name of Object.keys(row))
        if (!inputs.has(name))
          report(`there is no input ${JSON.stringify(name)}`, ['verification', at, 'inputs', name])
    const tooExpensive = findCostError(card)
    if (tooExpensive) report(tooExpensive.message, tooExpensive.path)
  })

export type BuiltScorecard = z.output<typeof BuiltScorecard>

/** A scorecard that can be deployed: each input is a feature of the scorecard's platforms. */
export const Scorecard = BuiltScorecard.superRefine((card, context) => {
  for (const [at, { feature, name, type }] of card.inputs.entries()) {
    const report = (message: string) =>
      context.addIssue({ code: 'custom', message, path: ['inputs', at, 'feature'] })
    if (feature === undefined) report(`${name} has no feature: specify one`)
    else if (!isFeatureName(feature)) report(`there is no feature ${JSON.stringify(feature)}`)
    else {
      const definition = FEATURES[feature]
      const available: readonly string[] = definition.platforms
      if (!card.platforms.some((platform) => available.includes(platform)))
        report(`${feature} is not computed for ${card.platforms.join(', ')}`)
      if (!READABLE_AS[definition.type].includes(type))
        report(`${feature} is a ${definition.type}, not a ${type}`)
    }
  }
})

export type Scorecard = z.output<typeof Scorecard>

/** The possible types of an input, by the type of its feature. */
const READABLE_AS: Record<'number' | 'boolean' | 'category', readonly string[]> = {
  number: ['number', 'category'],
  boolean: ['boolean', 'number', 'category'],
  category: ['category'],
}

interface Models {
  readonly model?: ScorecardModel | undefined
  readonly segments?: readonly { model: ScorecardModel }[] | undefined
}

/** The models of a scorecard with their paths: one, or one per segment. */
function modelsOf(card: Models): { model: ScorecardModel; path: readonly (string | number)[] }[] {
  if (card.model) return [{ model: card.model, path: ['model'] }]
  return (card.segments ?? []).map(({ model }, at) => ({ model, path: ['segments', at, 'model'] }))
}

function namesOf(model: ScorecardModel): ModelNames {
  if (model.kind === 'points') return namesOfPoints(model)
  return model.kind === 'pmml' ? namesOfPmml(model) : namesOfTrees(model)
}

type Report = (message: string, path: ModelError['path']) => void

function checkInputs(inputs: readonly Input[], report: Report): Map<string, Input> {
  const byName = new Map<string, Input>()
  for (const [at, input] of inputs.entries()) {
    if (byName.has(input.name)) report(`there is an input ${input.name} already`, ['inputs', at, 'name'])
    byName.set(input.name, input)
  }
  return byName
}

function checkWhens(
  card: { segments?: readonly { when: When }[] | undefined; exclusions: readonly { when: When }[] },
  inputs: ReadonlyMap<string, Input>,
  report: Report,
): void {
  for (const member of ['segments', 'exclusions'] as const)
    for (const [at, { when }] of (card[member] ?? []).entries())
      for (const name of when.predicate ? inputsOfPredicate(when.predicate) : [])
        if (!inputs.has(name))
          report(`there is no input ${JSON.stringify(name)}`, [member, at, 'when', 'predicate'])
}

interface Scale extends Models {
  readonly scaling?: Scaling | undefined
  readonly probability?: z.output<typeof Probability> | undefined
  readonly output: z.output<typeof Output>
}

function checkScale(card: Scale, report: Report): void {
  const { scaling, probability, output } = card
  const points = modelsOf(card).flatMap(({ model }) => (model.kind === 'points' ? [model] : []))
  const withoutLogit = points.some(({ intercept }) => intercept === undefined)
  if (output.from === 'scaling') {
    if (!scaling) report('a score from the scaling line requires scaling', ['output', 'from'])
    if (withoutLogit)
      report('a points model needs an intercept, coefficients and woe for that', ['output', 'from'])
  }
  if (output.min !== undefined && output.max !== undefined && output.min >= output.max)
    report('min must be less than max', ['output', 'min'])
  if (!probability) return
  const { from, table, floor, ceiling } = probability
  if (from === 'scaling' && !scaling) report('scaling is required for that', ['probability', 'from'])
  if (from === undefined && !scaling && withoutLogit)
    report('a probability requires scaling, or an intercept, coefficients and woe', ['probability'])
  if (from === 'logit' && withoutLogit)
    report('a points model needs an intercept, coefficients and woe for that', ['probability', 'from'])
  if (from === 'model' && points.length > 0)
    report('a points model has no probability of its own', ['probability', 'from'])
  if (from === 'model' && probability.badCategory === undefined)
    report('specify the bad category', ['probability', 'badCategory'])
  if ((from === 'table') !== (table !== undefined))
    report('table and from: table go together', ['probability', 'table'])
  if (table) checkAscending(table, ['probability', 'table'], report)
  if (floor !== undefined && ceiling !== undefined && floor > ceiling)
    report('floor must not be more than ceiling', ['probability', 'floor'])
}

function checkAscending(
  bands: readonly { below?: number | undefined }[],
  path: readonly (string | number)[],
  report: Report,
): void {
  for (const [at, { below }] of bands.entries()) {
    const isLast = at === bands.length - 1
    if ((below === undefined) !== isLast)
      report(isLast ? 'the last one has no below' : 'only the last one has no below', [...path, at, 'below'])
    const before = bands[at - 1]?.below
    if (below !== undefined && before !== undefined && below <= before)
      report('below must be more than that of the one before', [...path, at, 'below'])
  }
}

/** Shares are copied from reports, with few decimals. */
const SHARE_TOLERANCE = 0.01

function checkExpected(
  card: Models & { expected?: z.output<typeof Expected> | undefined },
  report: Report,
): void {
  const { scores, characteristics = {} } = card.expected ?? {}
  const checkSum = (shares: readonly number[], path: readonly (string | number)[]) => {
    const sum = shares.reduce((total, share) => total + share, 0)
    if (Math.abs(sum - 1) > SHARE_TOLERANCE) report(`the shares add up to ${sum}, not to 1`, path)
  }
  if (scores) {
    checkAscending(scores, ['expected', 'scores'], report)
    checkSum(
      scores.map(({ share }) => share),
      ['expected', 'scores'],
    )
  }
  const known = binsOf(card)
  for (const [name, shares] of Object.entries(characteristics)) {
    const path = ['expected', 'characteristics', name]
    checkSum(Object.values(shares), path)
    const bins = known?.get(name)
    if (known && !bins) report(`there is no characteristic ${JSON.stringify(name)}`, path)
    for (const bin of bins ? Object.keys(shares) : [])
      if (!bins?.has(bin))
        report(`${name} has no bin ${JSON.stringify(bin)}; its bins are ${[...(bins ?? [])].join(', ')}`, [
          ...path,
          bin,
        ])
  }
}

/** The bins of each characteristic as named in explanations; undefined if a model is of a kind that makes its own. */
function binsOf(card: Models): Map<string, Set<string>> | undefined {
  const bins = new Map<string, Set<string>>()
  for (const { model } of modelsOf(card)) {
    if (model.kind !== 'points') return undefined
    for (const { name, attributes } of model.characteristics)
      bins.set(name, (bins.get(name) ?? new Set()).union(new Set(attributes.map(presentBin))))
  }
  return bins
}
