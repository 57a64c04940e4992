import { z } from 'zod'
import { Expression, inputsOfExpression } from './expression.ts'
import { type Input, InputName } from './inputs.ts'
import { limitDepth } from './limit-depth.ts'
import type { ModelError, ModelNames } from './model-errors.ts'
import { inputsOfPredicate, Predicate } from './predicate.ts'
import { boundsOf, hasInterval, presentRegion, regionsOf } from './regions.ts'

const Points = z.number().min(-1_000_000).max(1_000_000)

/** Parameters of a logistic regression: weights of evidence, coefficients, intercept. */
const Weight = z.number().min(-1_000).max(1_000)

export const ReasonCode = z.string().min(1).max(100)

/**
 * A bin of a characteristic and its points. A value is in the bin if it matches any of the conditions; the first bin wins.
 *
 * An interval, a set or `else` contains neither special values nor missing.
 */
const Attribute = z.strictObject({
  label: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'For people; derived from the bin if left out' }),
  from: z.number().optional().meta({ description: 'Lower bound, included' }),
  above: z.number().optional().meta({ description: 'Lower bound, excluded' }),
  to: z.number().optional().meta({ description: 'Upper bound, included' }),
  below: z.number().optional().meta({ description: 'Upper bound, excluded' }),
  in: z
    .array(z.union([z.number(), z.string().max(200), z.boolean()]))
    .min(1)
    .max(10_000)
    .optional()
    .meta({ description: 'These values' }),
  missing: z.literal(true).optional(),
  special: z
    .union([z.literal(true), z.array(z.union([z.number(), z.string().max(200)])).min(1)])
    .optional()
    .meta({ description: 'The special values of the input, all or these' }),
  when: Predicate.optional().meta({ description: 'A condition on inputs' }),
  else: z.literal(true).optional().meta({ description: 'Every value that is neither missing nor special' }),
  points: limitDepth(z.union([Points, Expression], 'must be a number or an expression'), 100, 'expressions'),
  woe: Weight.optional().meta({
    description: 'Weight of evidence, multiplied by the coefficient',
  }),
  reasonCode: ReasonCode.optional().meta({ description: 'Replaces that of the characteristic' }),
})

const Characteristic = z.strictObject({
  name: z.string().min(1).max(200),
  input: InputName.optional().meta({ description: 'Left out if all attributes use when or else' }),
  reasonCode: ReasonCode.optional(),
  baseline: Points.optional().meta({
    description: 'Points that reasons are compared with; left out: no reasons',
  }),
  coefficient: Weight.optional(),
  attributes: z.array(Attribute).min(1).max(1_000),
})

/**
 * A points scorecard: `basePoints` plus the points of the first matching attribute of each characteristic.
 *
 * If the logistic regression behind it is known, its `intercept`, the characteristics' coefficients and the attributes' weights of
 * evidence give the exact log-odds of bad:good: intercept + Σ coefficient × woe.
 *
 * @see Siddiqi, Credit Risk Scorecards (2006), chapter 6
 */
export const PointsModel = z.strictObject({
  kind: z.literal('points'),
  basePoints: Points.default(0),
  intercept: Weight.optional(),
  characteristics: z.array(Characteristic).min(1).max(500),
})

export type PointsModel = z.output<typeof PointsModel>
export type Characteristic = PointsModel['characteristics'][number]
export type Attribute = Characteristic['attributes'][number]

export function namesOfPoints({ characteristics }: PointsModel): ModelNames {
  const inputs: { name: string; path: (string | number)[] }[] = []
  const reasonCodes: { code: string; path: (string | number)[] }[] = []
  for (const [c, characteristic] of characteristics.entries()) {
    const path = ['characteristics', c]
    if (characteristic.input !== undefined)
      inputs.push({ name: characteristic.input, path: [...path, 'input'] })
    if (characteristic.reasonCode !== undefined)
      reasonCodes.push({ code: characteristic.reasonCode, path: [...path, 'reasonCode'] })
    for (const [a, { when, points, reasonCode }] of characteristic.attributes.entries()) {
      const at = [...path, 'attributes', a]
      if (reasonCode !== undefined) reasonCodes.push({ code: reasonCode, path: [...at, 'reasonCode'] })
      for (const name of when ? inputsOfPredicate(when) : []) inputs.push({ name, path: [...at, 'when'] })
      for (const name of inputsOfExpression(points)) inputs.push({ name, path: [...at, 'points'] })
    }
  }
  return { inputs, reasonCodes }
}

/** Returns all errors of a points model over these inputs: each value must have exactly one bin. */
export function validatePoints(model: PointsModel, inputs: ReadonlyMap<string, Input>): ModelError[] {
  const names = new Set<string>()
  return model.characteristics.flatMap((characteristic, c) => {
    const errors: ModelError[] = []
    const report = (message: string, ...path: (string | number)[]) =>
      errors.push({ message, path: ['characteristics', c, ...path] })
    if (names.has(characteristic.name))
      report(`there is a characteristic ${characteristic.name} already`, 'name')
    names.add(characteristic.name)
    checkReason(characteristic, report)
    checkCoefficients(model, characteristic, report)
    const input = characteristic.input === undefined ? undefined : inputs.get(characteristic.input)
    if (input) checkBins(characteristic, input, report)
    else if (characteristic.input === undefined) checkWithoutInput(characteristic, report)
    return errors
  })
}

type Report = (message: string, ...path: (string | number)[]) => void

function checkReason({ name, baseline, reasonCode, attributes }: Characteristic, report: Report): void {
  if (baseline === undefined || reasonCode !== undefined) return
  for (const [a, attribute] of attributes.entries())
    if (attribute.reasonCode === undefined)
      report(
        `${name} has a baseline, so its points need a reason code, here or with the characteristic`,
        'attributes',
        a,
      )
}

function checkCoefficients(
  { intercept }: PointsModel,
  { name, coefficient, attributes }: Characteristic,
  report: Report,
): void {
  if (intercept === undefined) {
    if (coefficient !== undefined) report('a coefficient needs the intercept of the model', 'coefficient')
    return
  }
  if (coefficient === undefined) report(`the model has an intercept, so ${name} needs a coefficient`)
  for (const [a, { woe }] of attributes.entries())
    if (woe === undefined) report('the model has an intercept, so this needs woe', 'attributes', a)
}

function checkWithoutInput({ name, attributes }: Characteristic, report: Report): void {
  for (const [a, attribute] of attributes.entries()) {
    const { in: values, missing, special } = attribute
    if (hasInterval(attribute) || values || missing || special)
      report(`${name} names no input: its attributes can only use when or else`, 'attributes', a)
  }
  if (!attributes.some((attribute) => attribute.else))
    report(`${name} has no bin for values that match none of its conditions: add else`, 'attributes')
}

/** Checks that each value of the input has one bin; conditions by `when` are evaluated in their order and not checked. */
function checkBins({ name, attributes }: Characteristic, input: Input, report: Report): void {
  for (const [a, attribute] of attributes.entries())
    checkAttribute(attribute, input, (message, ...path) => report(message, 'attributes', a, ...path))

  const holders = (holds: (attribute: Attribute) => unknown) =>
    attributes.flatMap((attribute, a) => (holds(attribute) ? [a] : []))
  const check = (value: string, bins: readonly number[], isCovered: boolean) => {
    const [first, second] = bins
    if (first === undefined && !isCovered) report(`${name}: ${value} has no bin`, 'attributes')
    if (second !== undefined)
      report(`${name}: ${value} has two bins, ${first} and ${second}`, 'attributes', second)
  }

  const whens = holders(({ when }) => when).length > 0
  check(
    'missing',
    holders(({ missing }) => missing),
    input.required || whens,
  )
  for (const value of input.special)
    check(
      `the special value ${JSON.stringify(value)}`,
      holders(({ special }) => special === true || special?.includes(value)),
      whens,
    )

  const elses = holders((attribute) => attribute.else)
  check('else', elses, true)
  const [last] = elses
  if (last !== undefined)
    for (const [a, attribute] of attributes.entries())
      if (a > last && (hasInterval(attribute) || attribute.in || attribute.when))
        report(`${name}: this bin is never reached, since else comes before it`, 'attributes', a)

  const isCovered = last !== undefined || whens
  if (input.type === 'number') checkNumbers(attributes, input, isCovered, check)
  else checkSet(attributes, input, isCovered, check)
}

function checkAttribute(attribute: Attribute, { name, type, special }: Input, report: Report): void {
  const { from, above, to, below, in: values } = attribute
  if (
    !hasInterval(attribute) &&
    !values &&
    !attribute.missing &&
    !attribute.special &&
    !attribute.when &&
    !attribute.else
  )
    report('must have one of from, above, to, below, in, missing, special, when and else')
  if (from !== undefined && above !== undefined) report('give from or above, not both')
  if (to !== undefined && below !== undefined) report('give to or below, not both')
  const low = from ?? above ?? Number.NEGATIVE_INFINITY
  const high = to ?? below ?? Number.POSITIVE_INFINITY
  if (low > high || (low === high && (above !== undefined || below !== undefined)))
    report(`holds no number: ${low} is not less than ${high}`)
  if (type !== 'number' && hasInterval(attribute)) report(`${name} is a ${type}: use in`)
  const wanted = type === 'category' ? 'string' : type
  const seen = new Set()
  for (const [at, value] of (values ?? []).entries()) {
    if (typeof value !== wanted) report(`${name} is a ${type}: this must be a ${wanted}`, 'in', at)
    else if (special.includes(value as number))
      report(`${JSON.stringify(value)} is a special value: use special`, 'in', at)
    else if (seen.has(value)) report(`${JSON.stringify(value)} is in the list twice`, 'in', at)
    seen.add(value)
  }
  if (attribute.special === true && special.length === 0) report(`${name} has no special values`, 'special')
  for (const [at, value] of (Array.isArray(attribute.special) ? attribute.special : []).entries())
    if (!special.includes(value))
      report(`${JSON.stringify(value)} is not a special value of ${name}`, 'special', at)
}

type Check = (value: string, bins: readonly number[], isCovered: boolean) => void

function checkNumbers(
  attributes: readonly Attribute[],
  input: Input,
  isCovered: boolean,
  check: Check,
): void {
  const { cuts, bins } = regionsOf(attributes)
  const { valid, invalid } = input
  const isBounded = invalid !== 'asIs'
  for (const [region, held] of bins.entries()) {
    const cut = region % 2 === 1 ? cuts[region >> 1] : undefined
    if (cut !== undefined && input.special.includes(cut)) continue
    const isOutside = isBounded && valid !== undefined && !reaches(valid, cuts, region)
    check(presentRegion(cuts, region), held, isCovered || isOutside)
  }
}

/** Whether some number of the region is valid. */
function reaches(
  { from, to, values }: NonNullable<Input['valid']>,
  cuts: readonly number[],
  region: number,
): boolean {
  const [low, high] = boundsOf(cuts, region)
  const isPoint = low === high
  if (values)
    return values.some(
      (value) => typeof value === 'number' && (isPoint ? value === low : value > low && value < high),
    )
  const [min, max] = [from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY]
  return isPoint ? low >= min && low <= max : high > min && low < max
}

function checkSet(attributes: readonly Attribute[], input: Input, isCovered: boolean, check: Check): void {
  const isBounded = input.invalid !== 'asIs'
  const known = input.type === 'boolean' ? [true, false] : (isBounded && input.valid?.values) || []
  const holders = new Map<string | number | boolean, number[]>(known.map((value) => [value, []]))
  for (const [a, attribute] of attributes.entries())
    for (const value of new Set(attribute.in))
      holders.set(value, [...(holders.get(value) ?? []).slice(0, 1), a])
  for (const [value, held] of holders)
    if (!input.special.includes(value as string)) check(JSON.stringify(value), held, isCovered)
  if (known.length === 0) check('a category that no bin names', [], isCovered)
}
