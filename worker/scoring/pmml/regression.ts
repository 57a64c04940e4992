import type { PmmlRegression, RegressionTable } from '../../../db/scorecards/definition/pmml.ts'
import type { Contribution } from '../model.ts'
import { NoPrediction, PmmlError } from './errors.ts'
import type { Context } from './expressions.ts'
import { compileLink } from './links.ts'
import { isExact, type Round, roundingOf } from './math-context.ts'
import { asProbabilities, compileNormalization } from './normalization.ts'
import { categoryOf, classify, type Predict } from './prediction.ts'
import type { Frame } from './program.ts'
import { asNumber, isSame, readThreshold } from './values.ts'

/** Compiles a regression. @see https://dmg.org/pmml/v4-4/Regression.html */
export function compileRegression(
  model: PmmlRegression,
  context: Context,
  target: RegressionTarget,
): Predict {
  return model.function === 'regression'
    ? compileNumber(model, context)
    : compileClassification(model, context, target)
}

/** The target field. */
export interface RegressionTarget {
  readonly dataType: Parameters<typeof categoryOf>[1]
  readonly isOrdinal: boolean
  /** Category order of the predictions; undefined for the order of the tables. */
  readonly categories: readonly string[] | undefined
}

function compileNumber(model: PmmlRegression, context: Context): Predict {
  const { tables, normalization } = model
  const [table] = tables
  if (!table || tables.length > 1)
    throw new PmmlError('a regression that predicts a number must have exactly one RegressionTable')
  if (normalization === 'simplemax') throw new PmmlError('simplemax requires a classification', normalization)
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
      throw new PmmlError('every RegressionTable of a classification must have a targetCategory')
    return categoryOf(targetCategory, target.dataType)
  })
  if (tables.length < 2 || new Set(named).size < named.length)
    throw new PmmlError('a classification must have at least two RegressionTables with different categories')
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
  const normalize = compileNormalization(normalization, named.length, target.isOrdinal, only, round)
  const categories = target.categories ?? named
  const indexes = categories.map((category) => named.indexOf(category))
  const isInOrder = indexes.every((index, at) => index === at) && indexes.length === named.length
  return (frame) => {
    const results = evaluate.map((table) => table(frame))
    const probabilities = asProbabilities(normalize(results.map(({ y }) => y)))
    const ordered = isInOrder ? probabilities : indexes.map((index) => probabilities[index] ?? 0)
    // contributions to the only linear predictor
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

interface TableResult {
  readonly y: number
  readonly contributions: readonly Contribution[]
}

/** Compiles a linear predictor. A missing number gives no prediction; a missing category matches none and adds 0. */
function compileTable(table: RegressionTable, context: Context, round: Round): (frame: Frame) => TableResult {
  const parts: ((frame: Frame) => Contribution)[] = []
  for (const { field: name, exponent, coefficient: given } of table.numeric) {
    const coefficient = round(given)
    const { read } = context.scope.find(name)
    const bin = exponent === 1 ? `× ${given}` : `^${exponent} × ${given}`
    parts.push((frame) => {
      const input = requireNumber(read(frame), name)
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
      throw new PmmlError(`a RegressionTable has two coefficients for one value of ${name}`, name)
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
      const product = reads.reduce((total, { name, read }) => total * requireNumber(read(frame), name), 1)
      const points = isExact(round)
        ? coefficient * product
        : reads.reduce(
            (total, { name, read }) => round(total * round(requireNumber(read(frame), name))),
            round(coefficient),
          )
      return contributionOf(characteristic, product, bin, points)
    })
  }
  const intercept = round(table.intercept)
  // the order of JPMML: with 32-bit floats it affects the sum
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

/** @throws NoPrediction if the value is missing. */
export function requireNumber(
  value: ReturnType<ReturnType<Context['scope']['find']>['read']>,
  name: string,
): number {
  if (value === undefined) throw new NoPrediction(`${name} is missing`)
  return asNumber(value)
}

/** Groups coefficients by field, in order of first occurrence. */
function byField(categorical: RegressionTable['categorical']): Map<string, RegressionTable['categorical']> {
  return Map.groupBy(categorical, ({ field }) => field)
}
