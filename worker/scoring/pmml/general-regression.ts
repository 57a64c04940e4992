import type { PmmlGeneralRegression, PredictorCell } from '../../../db/scorecards/definition/pmml.ts'
import type { Contribution } from '../model.ts'
import { NoPrediction, PmmlError } from './errors.ts'
import type { Context } from './expressions.ts'
import { compileLink, type Link } from './links.ts'
import { isExact, roundingOf } from './math-context.ts'
import { categoryOf, classify, type Predict } from './prediction.ts'
import type { Frame } from './program.ts'
import { contributionOf, type RegressionTarget, requireNumber, softmax } from './regression.ts'
import { readThreshold, type Value } from './values.ts'

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
  const evaluate = compileTable(table, context)
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
  const evaluate = tables.map((table) => compileTable(table, context))
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

type Table = PmmlGeneralRegression['tables'][number]
type Parameter = Table['parameters'][number]
type Part = (frame: Frame) => Contribution

/** Compiles a linear predictor. Parameters of the same fields form one term, which is one characteristic. */
function compileTable(
  { parameters }: Table,
  context: Context,
): (frame: Frame) => { readonly y: number; readonly contributions: readonly Contribution[] } {
  let intercept = 0
  const groups = new Map<string, Parameter[]>()
  for (const parameter of parameters) {
    const { cells, coefficient } = parameter
    if (cells.length === 0) intercept += coefficient
    else {
      const key = JSON.stringify(cells.map(({ field }) => field).sort())
      const group = groups.get(key)
      if (group) group.push(parameter)
      else groups.set(key, [parameter])
    }
  }
  const parts = [...groups.values()].map((group) => compileGroup(group, context))
  return (frame) => {
    let y = intercept
    const contributions: Contribution[] = []
    for (const part of parts) {
      const contribution = part(frame)
      y += contribution.points
      contributions.push(contribution)
    }
    return { y, contributions }
  }
}

function compileGroup(group: readonly Parameter[], context: Context): Part {
  const [first] = group
  const [cell] = first?.cells ?? []
  if (first && cell && first.cells.length === 1) {
    if (!group.some(({ cells: [own] }) => own === undefined || 'exponent' in own))
      return compileFactor(cell.field, group, context)
    if (group.length === 1 && 'exponent' in cell) return compileCovariate(cell, first.coefficient, context)
  }
  return compileProducts(group, context)
}

/** Compiles a coefficient multiplied by a power of a number. */
function compileCovariate(
  { field, exponent }: Extract<PredictorCell, { exponent: number }>,
  coefficient: number,
  { scope }: Context,
): Part {
  const { read } = scope.find(field)
  const bin = exponent === 1 ? `× ${coefficient}` : `^${exponent} × ${coefficient}`
  return (frame) => {
    const input = requireNumber(read(frame), field)
    return contributionOf(field, input, bin, coefficient * (exponent === 1 ? input : input ** exponent))
  }
}

/** Compiles a factor: the points of each category are summed up in advance. */
function compileFactor(field: string, group: readonly Parameter[], context: Context): Part {
  const { read } = context.scope.find(field)
  const points = new Map<Value, { readonly bin: string; points: number }>()
  let isContrast = false
  const keyOf = compileKey(field, context)
  for (const { coefficient, cells } of group)
    for (const cell of cells) {
      if ('contrasts' in cell) isContrast = true
      for (const { category, value } of valuesOf(cell)) {
        const key = keyOf.constant(category)
        const known = points.get(key)
        if (known) known.points += coefficient * value
        else points.set(key, { bin: category, points: coefficient * value })
      }
    }
  return (frame) => {
    const input = read(frame)
    if (input === undefined) throw new NoPrediction(`${field} is missing`)
    const found = points.get(keyOf.value(input))
    if (!found && isContrast)
      throw new NoPrediction(`the contrasts of ${field} have no category ${JSON.stringify(input)}`)
    return contributionOf(field, input, found?.bin ?? 'else', found?.points ?? 0)
  }
}

const valuesOf = (cell: PredictorCell): readonly { category: string; value: number }[] =>
  'contrasts' in cell ? cell.contrasts : 'category' in cell ? [{ category: cell.category, value: 1 }] : []

/** Compiles the comparison of categories: by the data type of the field, or as text if that is unknown. */
function compileKey(field: string, { scope }: Context) {
  const { dataType } = scope.find(field)
  return {
    constant: (text: string): Value => readThreshold(text, dataType ?? 'string'),
    value: (value: number | string | boolean): Value => (dataType === undefined ? String(value) : value),
  }
}

type EvaluateCell = (frame: Frame) => number

/** Compiles interactions and sums of several powers of a number. */
function compileProducts(group: readonly Parameter[], context: Context): Part {
  const products = group.map(({ coefficient, cells }) => {
    const isNumber = (cell: PredictorCell) => 'exponent' in cell
    const compileAll = (all: readonly PredictorCell[]) => all.map((cell) => compileCell(cell, context))
    const factors = compileAll(cells.filter((cell) => !isNumber(cell)))
    const numbers = compileAll(cells.filter(isNumber))
    return (frame: Frame) => {
      let product = 1
      for (const factor of factors) product *= factor(frame)
      // numbers are read only if the categories match
      if (product !== 0) for (const number of numbers) product *= number(frame)
      return coefficient * product
    }
  })
  const fields = [...new Set(group[0]?.cells.map(({ field }) => field))]
  const reads = fields.map((name) => ({ name, read: context.scope.find(name).read }))
  const isFactor = new Set(
    group.flatMap(({ cells }) => cells.flatMap((cell) => ('exponent' in cell ? [] : cell.field))),
  )
  const characteristic = fields.join(' × ')
  return (frame) => {
    for (const { name, read } of reads)
      if (isFactor.has(name) && read(frame) === undefined) throw new NoPrediction(`${name} is missing`)
    let points = 0
    for (const product of products) points += product(frame)
    const input = reads.length === 1 ? (reads[0]?.read(frame) ?? null) : null
    const bin = reads.map(({ read }) => String(read(frame))).join(' × ')
    return contributionOf(characteristic, input, bin, points)
  }
}

function compileCell(cell: PredictorCell, context: Context): EvaluateCell {
  const { field } = cell
  const { read } = context.scope.find(field)
  if ('exponent' in cell) {
    const { exponent } = cell
    return (frame) => {
      const input = requireNumber(read(frame), field)
      return exponent === 1 ? input : input ** exponent
    }
  }
  const keyOf = compileKey(field, context)
  const values = new Map(valuesOf(cell).map(({ category, value }) => [keyOf.constant(category), value]))
  const otherwise = 'contrasts' in cell ? undefined : 0
  return (frame) => {
    const input = read(frame)
    if (input === undefined) throw new NoPrediction(`${field} is missing`)
    const value = values.get(keyOf.value(input)) ?? otherwise
    if (value === undefined)
      throw new NoPrediction(`the contrasts of ${field} have no category ${JSON.stringify(input)}`)
    return value
  }
}
