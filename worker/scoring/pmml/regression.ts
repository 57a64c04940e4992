import type { PmmlRegression, RegressionTable } from '../../../db/scorecards/definition/pmml.ts'
import type { Contribution } from '../model.ts'
import type { Context } from './expressions.ts'
import { NoPrediction, NoScore, PmmlFault } from './faults.ts'
import { compileLink } from './links.ts'
import { isExact, type Round, roundingOf } from './math-context.ts'
import { categoryOf, classify, type Predict } from './prediction.ts'
import type { Frame } from './program.ts'
import { asNumber, isSame, readThreshold } from './values.ts'

type Normalization = PmmlRegression['normalization']

/** @see https://dmg.org/pmml/v4-4/Regression.html */
export function compileRegression(
  model: PmmlRegression,
  context: Context,
  target: RegressionTarget,
): Predict {
  return model.function === 'regression'
    ? compileNumber(model, context)
    : compileClassification(model, context, target)
}

/** What is known of the field that is predicted. */
export interface RegressionTarget {
  readonly dataType: Parameters<typeof categoryOf>[1]
  readonly isOrdinal: boolean
  /** The order that predictions must have; left out: that of the tables. */
  readonly categories: readonly string[] | undefined
}

function compileNumber(model: PmmlRegression, context: Context): Predict {
  const { tables, normalization } = model
  const [table] = tables
  if (!table || tables.length > 1)
    throw new PmmlFault('a regression that predicts a number has one RegressionTable')
  if (normalization === 'simplemax') throw new PmmlFault('simplemax is for categories', normalization)
  const round = roundingOf(model)
  const link = compileLink(normalization, round)
  const evaluate = compileTable(table, context, round)
  return (frame) => {
    const { y, contributions } = evaluate(frame)
    return { value: link(y), contributions }
  }
}

function compileClassification(model: PmmlRegression, context: Context, target: RegressionTarget): Predict {
  const { tables, normalization } = model
  const named = tables.map(({ targetCategory }) => {
    if (targetCategory === undefined)
      throw new PmmlFault('every RegressionTable of a classification has a targetCategory')
    return categoryOf(targetCategory, target.dataType)
  })
  if (tables.length < 2 || new Set(named).size < named.length)
    throw new PmmlFault('a classification needs two or more RegressionTables of different categories')
  const round = roundingOf(model)
  const evaluate = tables.map((table) => compileTable(table, context, round))
  const isActive = (at: number) => !isTrivial(tables[at])
  const only =
    named.filter((_, at) => isActive(at)).length <= 1
      ? Math.max(
          0,
          tables.findIndex((table) => !isTrivial(table)),
        )
      : undefined
  const spread = compileSpread(normalization, named.length, target.isOrdinal, only, round)
  const categories = target.categories ?? named
  const places = categories.map((category) => named.indexOf(category))
  const isInOrder = places.every((place, at) => place === at) && places.length === named.length
  return (frame) => {
    const results = evaluate.map((table) => table(frame))
    const probabilities = asProbabilities(spread(results.map(({ y }) => y)))
    const ordered = isInOrder ? probabilities : places.map((place) => probabilities[place] ?? 0)
    // what moves the one linear predictor that there is
    const contributions = only === undefined ? [] : (results[only]?.contributions ?? [])
    return { ...classify(categories, ordered), contributions }
  }
}

const isTrivial = (table: RegressionTable | undefined) =>
  table !== undefined &&
  table.intercept === 0 &&
  table.numeric.length === 0 &&
  table.categorical.length === 0 &&
  table.terms.length === 0

/** Rounded coefficients leave sums a little over 1. */
const ROUNDING = 1e-6

/**
 * Checks that linear predictors became probabilities, and holds those between 0 and 1 that rounding moved out.
 *
 * @throws NoScore, which no target and no segmentation treats: the result is invalid, not missing.
 */
function asProbabilities(shares: readonly number[]): readonly number[] {
  if (shares.every((share) => share >= 0 && share <= 1)) return shares
  const wrong = shares.find((share) => !(share >= -ROUNDING && share <= 1 + ROUNDING))
  if (wrong !== undefined) throw new NoScore(`the probability of a category would be ${wrong}`)
  return shares.map((share) => Math.min(1, Math.max(0, share)))
}

type Spread = (y: number[]) => number[]

/**
 * How linear predictors become probabilities that sum to 1.
 *
 * @param only the place of the one table that is not trivial, where there is just one.
 */
function compileSpread(
  normalization: Normalization,
  count: number,
  isOrdinal: boolean,
  only: number | undefined,
  round: Round,
): Spread {
  const link = compileLink(normalization, round)
  if (normalization === 'exp') throw new PmmlFault('the normalization exp is for numbers', normalization)
  if (normalization === 'softmax') return (y) => softmax(y, round)
  if (normalization === 'simplemax')
    return (y) => {
      const sum = y.reduce((total, value) => round(total + value), 0)
      if (!(sum > 0) || y.some((value) => value < 0))
        throw new NoPrediction('simplemax needs predictors that are not negative')
      return y.map((value) => round(value / sum))
    }
  if (isOrdinal)
    return (y) => {
      // of the links, only none leads out of 0 to 1
      const cumulative = y.map((value, at) =>
        at === y.length - 1 ? 1 : Math.min(1, Math.max(0, link(value))),
      )
      return cumulative.map((value, at) => round(value - (cumulative[at - 1] ?? 0)))
    }
  if (count === 2) {
    if (only === undefined)
      throw new PmmlFault(
        `with ${normalization}, one of two RegressionTables must be empty, with intercept 0`,
        normalization,
      )
    return (y) => {
      const share = Math.min(1, Math.max(0, link(y[only] ?? 0)))
      const rest = round(1 - share)
      return only === 0 ? [share, rest] : [rest, share]
    }
  }
  if (normalization === 'none')
    return (y) => {
      const others = y.slice(0, -1)
      return [...others, round(1 - others.reduce((total, value) => round(total + value), 0))]
    }
  throw new PmmlFault(
    `${normalization} of more than two categories that have no order is not supported`,
    normalization,
  )
}

/** Shifted by the greatest, so that none overflows. */
export function softmax(y: readonly number[], round: Round): number[] {
  const greatest = Math.max(...y)
  const powers = y.map((value) => round(Math.exp(round(value - greatest))))
  const sum = powers.reduce((total, value) => round(total + value), 0)
  return powers.map((value) => round(value / sum))
}

interface TableResult {
  readonly y: number
  readonly contributions: readonly Contribution[]
}

/** A missing number leaves no result; a missing category adds nothing, as it is none of those named. */
function compileTable(table: RegressionTable, context: Context, round: Round): (frame: Frame) => TableResult {
  const parts: ((frame: Frame) => Contribution)[] = []
  for (const { field: name, exponent, coefficient: given } of table.numeric) {
    const coefficient = round(given)
    const { read } = context.scope.find(name)
    const bin = exponent === 1 ? `× ${given}` : `^${exponent} × ${given}`
    parts.push((frame) => {
      const input = known(read(frame), name)
      const rounded = round(input)
      const power = exponent === 1 ? rounded : round(rounded ** exponent)
      return contributionOf(name, input, bin, round(coefficient * power))
    })
  }
  for (const [name, coefficients] of byField(table.categorical)) {
    const { read, dataType } = context.scope.find(name)
    const values = coefficients.map(({ value, coefficient }) => ({
      wanted: readThreshold(value, dataType),
      value,
      coefficient: round(coefficient),
    }))
    if (new Set(values.map(({ value }) => value)).size < values.length)
      throw new PmmlFault(`a RegressionTable has two coefficients for one value of ${name}`, name)
    parts.push((frame) => {
      const input = read(frame)
      if (input === undefined) return contributionOf(name, null, 'missing', 0)
      const found = values.find(({ wanted }) => isSame(input, wanted))
      return contributionOf(name, input, found?.value ?? 'else', found?.coefficient ?? 0)
    })
  }
  for (const { coefficient, fields } of table.terms) {
    const reads = fields.map((name) => ({ name, read: context.scope.find(name).read }))
    const characteristic = fields.join(' × ')
    const bin = `× ${coefficient}`
    parts.push((frame) => {
      const product = reads.reduce((total, { name, read }) => total * known(read(frame), name), 1)
      const points = isExact(round)
        ? coefficient * product
        : reads.reduce(
            (total, { name, read }) => round(total * round(known(read(frame), name))),
            round(coefficient),
          )
      return contributionOf(characteristic, product, bin, points)
    })
  }
  const intercept = round(table.intercept)
  // as JPMML adds it: of 32-bit floats, the order decides
  const isLast = !isExact(round)
  return (frame) => {
    let y = isLast ? 0 : intercept
    const contributions: Contribution[] = []
    for (const part of parts) {
      const contribution = part(frame)
      y = round(y + contribution.points)
      contributions.push(contribution)
    }
    return { y: isLast ? round(y + intercept) : y, contributions }
  }
}

export const contributionOf = (
  characteristic: string,
  input: Contribution['input'],
  bin: string,
  points: number,
): Contribution => ({
  characteristic,
  input,
  bin,
  points,
  baseline: null,
  reasonCode: null,
})

/** @throws NoPrediction where it is missing. */
export function known(value: ReturnType<ReturnType<Context['scope']['find']>['read']>, name: string): number {
  if (value === undefined) throw new NoPrediction(`${name} is missing`)
  return asNumber(value)
}

/** Coefficients of one field together, where they first are. */
function byField(categorical: RegressionTable['categorical']): Map<string, RegressionTable['categorical']> {
  const fields = new Map<string, RegressionTable['categorical']>()
  for (const predictor of categorical)
    fields.set(predictor.field, [...(fields.get(predictor.field) ?? []), predictor])
  return fields
}
