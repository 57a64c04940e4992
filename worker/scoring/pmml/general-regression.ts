import type { PmmlGeneralRegression } from '../../../db/scorecards/definition/pmml.ts'
import { NoPrediction, PmmlError } from './errors.ts'
import type { Context } from './expressions.ts'
import { compileLinearPredictor } from './linear-predictor.ts'
import { compileLink, type Link } from './links.ts'
import { isExact, roundingOf } from './math-context.ts'
import { softmax } from './normalization.ts'
import { categoryOf, classify, type Predict } from './prediction.ts'
import type { Frame } from './program.ts'
import { type RegressionTarget, requireNumber } from './regression.ts'

/**
 * Compiles a general regression: each linear predictor is a sum of coefficients, each multiplied by its cells.
 *
 * A missing predictor gives no prediction; a category without a cell adds 0.
 *
 * @see https://dmg.org/pmml/v4-4/GeneralRegression.html
 */
export function compileGeneralRegression(
  model: PmmlGeneralRegression,
  context: Context,
  target: RegressionTarget,
): Predict {
  return model.function === 'regression'
    ? compileNumber(model, context)
    : compileClassification(model, context, target)
}

/** Lists the categories that have a table, then the reference category. */
export function categoriesOfGeneralRegression(
  { tables, referenceCategory }: PmmlGeneralRegression,
  dataType: RegressionTarget['dataType'],
): string[] {
  const named = tables.map(({ targetCategory }) => targetCategory)
  return [...named, referenceCategory].flatMap((text) =>
    text === undefined ? [] : categoryOf(text, dataType),
  )
}

function compileNumber(model: PmmlGeneralRegression, context: Context): Predict {
  const [table] = model.tables
  if (!table || model.tables.length > 1 || table.targetCategory !== undefined)
    throw new PmmlError('a general regression that predicts a number must have exactly one set of parameters')
  if (model.modelType === 'multinomialLogistic')
    throw new PmmlError('multinomialLogistic requires a classification', model.modelType)
  const link = linkOf(model)
  const addOffset = compileOffset(model, context)
  const evaluate = compileLinearPredictor(table, context)
  const trials = compileConstantOrField(model.trials ?? 1, context)
  return (frame) => {
    const { y, contributions } = evaluate(frame)
    return { value: meanOf(link, addOffset(y, frame)) * trials(frame), contributions }
  }
}

function compileClassification(
  model: PmmlGeneralRegression,
  context: Context,
  target: RegressionTarget,
): Predict {
  const { tables, modelType, referenceCategory } = model
  const { dataType } = target
  const [first] = tables
  if (modelType !== 'generalizedLinear' && modelType !== 'multinomialLogistic')
    throw new PmmlError(`${modelType} requires a regression`, modelType)
  if (modelType === 'generalizedLinear' && tables.length > 1)
    throw new PmmlError(
      'a generalizedLinear classification must have two categories and parameters for one of them',
      modelType,
    )
  const of = categoriesOfGeneralRegression(model, dataType)
  if (!first || referenceCategory === undefined || of.length !== tables.length + 1)
    throw new PmmlError(
      'a classification must have parameters for every category except the reference category',
    )
  if (new Set(of).size < of.length)
    throw new PmmlError('two sets of parameters have the same category', first.targetCategory)
  const evaluate = tables.map((table) => compileLinearPredictor(table, context))
  const addOffset = compileOffset(model, context)
  const round = roundingOf(model)
  const link = linkOf(model)
  const toProbabilities =
    modelType === 'multinomialLogistic'
      ? (y: readonly number[]) => softmax([...y, 0], round)
      : ([y = Number.NaN]: readonly number[]) => complement(meanOf(link, y))
  const categories = target.categories ?? of
  const indexes = categories.map((category) => of.indexOf(category))
  return (frame) => {
    const results = evaluate.map((table) => table(frame))
    const probabilities = toProbabilities(results.map(({ y }) => addOffset(y, frame)))
    // contributions to the only linear predictor
    const contributions = results.length > 1 ? [] : (results[0]?.contributions ?? [])
    return {
      ...classify(
        categories,
        indexes.map((index) => probabilities[index] ?? 0),
      ),
      contributions,
    }
  }
}

function complement(share: number): readonly number[] {
  if (share < 0 || share > 1) throw new NoPrediction(`the probability would be ${share}`)
  return [share, 1 - share]
}

function linkOf(model: PmmlGeneralRegression): Link {
  const { modelType, link, linkParameter, distributionParameter } = model
  const round = roundingOf(model)
  if (!isExact(round)) throw new PmmlError('a general regression in 32-bit floats is not supported')
  if (modelType !== 'generalizedLinear') return (y) => y
  if (link === undefined) throw new PmmlError('generalizedLinear requires a linkFunction', modelType)
  if (link === 'negbin' && distributionParameter === undefined)
    throw new PmmlError('the link negbin requires a distParameter', link)
  if ((link === 'power' || link === 'oddspower') && linkParameter === undefined)
    throw new PmmlError(`the link ${link} requires a linkParameter`, link)
  return compileLink(link, round, { link: linkParameter, distribution: distributionParameter })
}

/** @throws NoPrediction if the link has no value, such as the root of a negative number. */
function meanOf(link: Link, y: number): number {
  const mean = link(y)
  if (Number.isNaN(mean)) throw new NoPrediction(`the link has no value at ${y}`)
  return mean
}

type ConstantOrField = NonNullable<PmmlGeneralRegression['offset']>

function compileConstantOrField(value: ConstantOrField, { scope }: Context): (frame: Frame) => number {
  if (typeof value === 'number') return () => value
  const { read } = scope.find(value.field)
  return (frame) => requireNumber(read(frame), value.field)
}

function compileOffset(
  { offset }: PmmlGeneralRegression,
  context: Context,
): (y: number, frame: Frame) => number {
  if (offset === undefined) return (y) => y
  const evaluate = compileConstantOrField(offset, context)
  return (y, frame) => y + evaluate(frame)
}
