import { z } from 'zod'
import { Expression, inputsOfExpression } from './expression.ts'
import { type Input, InputName } from './inputs.ts'
import { limitDepth } from './limit-depth.ts'
import type { ModelError, ModelNames } from './model-errors.ts'
import { inputsOfPredicate, Predicate } from './predicate.ts'
import { boundsOf, hasInterval, presentRegion, regionsOf } from './regions.ts'

const Points = z.number().min(-1_000_000).max(1_000_000)

/** Of logistic regression: weights of evidence, coefficients, intercept. */
const Weight = z.number().min(-1_000).max(1_000)

export const ReasonCode = z.string().min(1).max(100)

/**
 * A bin of a characteristic and what it is worth. It holds what any of its conditions holds; first match wins.
 *
 * Special values are in no interval, set or else, and missing is in none of them.
 */
const Attribute = z.strictObject({
  label: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'For people; made from the bin if left out' }),
  from: z.number().optional().meta({ description: 'Numbers from here on, this one included' }),
  above: z.number().optional().meta({ description: 'Numbers above this one' }),
  to: z.number().optional().meta({ description: 'Numbers up to here, this one included' }),
  below: z.number().optional().meta({ description: 'Numbers below this one' }),
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
  when: Predicate.optional().meta({ description: 'Any condition on inputs' }),
  else: z.literal(true).optional().meta({ description: 'Every value that is neither missing nor special' }),
  points: limitDepth(z.union([Points, Expression], 'must be a number or an expression'), 100, 'expressions'),
  woe: Weight.optional().meta({
    description: 'Weight of evidence, which the coefficient is multiplied with',
  }),
  reasonCode: ReasonCode.optional().meta({ description: 'In place of that of the characteristic' }),
})

const Characteristic = z.strictObject({
  name: z.string().min(1).max(200),
  input: InputName.optional().meta({ description: 'Left out where all attributes are by when or else' }),
  reasonCode: ReasonCode.optional(),
  baseline: Points.optional().meta({
    description: 'What points are compared with for reasons; none, no reason',
  }),
  coefficient: Weight.optional(),
  attributes: z.array(Attribute).min(1).max(1_000),
})

/**
 * A points scorecard: `basePoints` and the points of the first matching attribute of each characteristic.
 *
 * Where the logistic regression that it was made from is known, its `intercept`, the characteristics' coefficients and
 * the attributes' weights of evidence give the exact log-odds of bad:good: intercept + Σ coefficient × woe.
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

/** Everything that is wrong with a points model over these inputs: each value has one bin, and exactly one. */
export function validatePoints(model: PointsModel, inputs: ReadonlyMap<string, Input>): ModelError[] {
  const names = new Set<string>()
  return model.characteristics.flatMap((characteristic, c) => {
    const faults: ModelError[] = []
    const fault = (message: string, ...path: (string | number)[]) =>
      faults.push({ message, path: ['characteristics', c, ...path] })
    if (names.has(characteristic.name))
      fault(`there is a characteristic ${characteristic.name} already`, 'name')
    names.add(characteristic.name)
    judgeReason(characteristic, fault)
    judgeCoefficients(model, characteristic, fault)
    const input = characteristic.input === undefined ? undefined : inputs.get(characteristic.input)
    if (input) judgeBins(characteristic, input, fault)
    else if (characteristic.input === undefined) judgeWithoutInput(characteristic, fault)
    return faults
  })
}

type Fault = (message: string, ...path: (string | number)[]) => void

function judgeReason({ name, baseline, reasonCode, attributes }: Characteristic, fault: Fault): void {
  if (baseline === undefined || reasonCode !== undefined) return
  for (const [a, attribute] of attributes.entries())
    if (attribute.reasonCode === undefined)
      fault(
        `${name} has a baseline, so its points need a reason code, here or with the characteristic`,
        'attributes',
        a,
      )
}

function judgeCoefficients(
  { intercept }: PointsModel,
  { name, coefficient, attributes }: Characteristic,
  fault: Fault,
): void {
  if (intercept === undefined) {
    if (coefficient !== undefined) fault('a coefficient needs the intercept of the model', 'coefficient')
    return
  }
  if (coefficient === undefined) fault(`the model has an intercept, so ${name} needs a coefficient`)
  for (const [a, { woe }] of attributes.entries())
    if (woe === undefined) fault('the model has an intercept, so this needs woe', 'attributes', a)
}

function judgeWithoutInput({ name, attributes }: Characteristic, fault: Fault): void {
  for (const [a, attribute] of attributes.entries()) {
    const { in: values, missing, special } = attribute
    if (hasInterval(attribute) || values || missing || special)
      fault(`${name} names no input: its attributes can only be by when or else`, 'attributes', a)
  }
  if (!attributes.some((attribute) => attribute.else))
    fault(`${name} has no bin for what none of its conditions holds: add else`, 'attributes')
}

/** Each value of the input has one bin; conditions by `when` are tried in their order and are not judged. */
function judgeBins({ name, attributes }: Characteristic, input: Input, fault: Fault): void {
  for (const [a, attribute] of attributes.entries())
    judgeAttribute(attribute, input, (message, ...path) => fault(message, 'attributes', a, ...path))

  const holders = (holds: (attribute: Attribute) => unknown) =>
    attributes.flatMap((attribute, a) => (holds(attribute) ? [a] : []))
  const judge = (what: string, bins: readonly number[], isCovered: boolean) => {
    const [first, second] = bins
    if (first === undefined && !isCovered) fault(`${name}: ${what} has no bin`, 'attributes')
    if (second !== undefined)
      fault(`${name}: ${what} has two bins, ${first} and ${second}`, 'attributes', second)
  }

  const whens = holders(({ when }) => when).length > 0
  judge(
    'missing',
    holders(({ missing }) => missing),
    input.required || whens,
  )
  for (const value of input.special)
    judge(
      `the special value ${JSON.stringify(value)}`,
      holders(({ special }) => special === true || special?.includes(value)),
      whens,
    )

  const otherwise = holders((attribute) => attribute.else)
  judge('else', otherwise, true)
  const [last] = otherwise
  if (last !== undefined)
    for (const [a, attribute] of attributes.entries())
      if (a > last && (hasInterval(attribute) || attribute.in || attribute.when))
        fault(`${name}: this bin is never reached, since else comes before it`, 'attributes', a)

  const isCovered = last !== undefined || whens
  if (input.type === 'number') judgeNumbers(attributes, input, isCovered, judge)
  else judgeSet(attributes, input, isCovered, judge)
}

function judgeAttribute(attribute: Attribute, { name, type, special }: Input, fault: Fault): void {
  const { from, above, to, below, in: values } = attribute
  if (
    !hasInterval(attribute) &&
    !values &&
    !attribute.missing &&
    !attribute.special &&
    !attribute.when &&
    !attribute.else
  )
    fault('must have one of from, above, to, below, in, missing, special, when and else')
  if (from !== undefined && above !== undefined) fault('give from or above, not both')
  if (to !== undefined && below !== undefined) fault('give to or below, not both')
  const low = from ?? above ?? Number.NEGATIVE_INFINITY
  const high = to ?? below ?? Number.POSITIVE_INFINITY
  if (low > high || (low === high && (above !== undefined || below !== undefined)))
    fault(`holds no number: ${low} is not less than ${high}`)
  if (type !== 'number' && hasInterval(attribute)) fault(`${name} is a ${type}: use in`)
  const wanted = type === 'category' ? 'string' : type
  const seen = new Set()
  for (const [at, value] of (values ?? []).entries()) {
    if (typeof value !== wanted) fault(`${name} is a ${type}: this must be a ${wanted}`, 'in', at)
    else if (special.includes(value as number))
      fault(`${JSON.stringify(value)} is a special value: use special`, 'in', at)
    else if (seen.has(value)) fault(`${JSON.stringify(value)} is in the list twice`, 'in', at)
    seen.add(value)
  }
  if (attribute.special === true && special.length === 0) fault(`${name} has no special values`, 'special')
  for (const [at, value] of (Array.isArray(attribute.special) ? attribute.special : []).entries())
    if (!special.includes(value))
      fault(`${JSON.stringify(value)} is no special value of ${name}`, 'special', at)
}

type Judge = (what: string, bins: readonly number[], isCovered: boolean) => void

function judgeNumbers(
  attributes: readonly Attribute[],
  input: Input,
  isCovered: boolean,
  judge: Judge,
): void {
  const { cuts, bins } = regionsOf(attributes)
  const { valid, invalid } = input
  const isBounded = invalid !== 'asIs'
  for (const [region, held] of bins.entries()) {
    const cut = region % 2 === 1 ? cuts[region >> 1] : undefined
    if (cut !== undefined && input.special.includes(cut)) continue
    const isOutside = isBounded && valid !== undefined && !reaches(valid, cuts, region)
    judge(presentRegion(cuts, region), held, isCovered || isOutside)
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
  const [least, most] = [from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY]
  return isPoint ? low >= least && low <= most : high > least && low < most
}

function judgeSet(attributes: readonly Attribute[], input: Input, isCovered: boolean, judge: Judge): void {
  const isBounded = input.invalid !== 'asIs'
  const known = input.type === 'boolean' ? [true, false] : (isBounded && input.valid?.values) || []
  const holders = new Map<string | number | boolean, number[]>(known.map((value) => [value, []]))
  for (const [a, attribute] of attributes.entries())
    for (const value of new Set(attribute.in))
      holders.set(value, [...(holders.get(value) ?? []).slice(0, 1), a])
  for (const [value, held] of holders)
    if (!input.special.includes(value as string)) judge(JSON.stringify(value), held, isCovered)
  if (known.length === 0) judge('a category that no bin names', [], isCovered)
}
