import type { PmmlRegression, RegressionTable } from '../../../../db/scorecards/definition/pmml.ts'
import type { CommonParts, ModelContext } from './model-context.ts'
import { aText, type RandomField } from './random-fields.ts'

const METHODS = {
  regression: ['none', 'softmax', 'logit', 'probit', 'cloglog', 'loglog', 'cauchit', 'exp'],
  ordinal: ['none', 'logit', 'probit', 'cloglog', 'loglog', 'cauchit'],
  two: ['none', 'softmax', 'simplemax', 'logit', 'probit', 'cloglog', 'loglog', 'cauchit'],
  more: ['none', 'softmax', 'simplemax'],
} as const

/** Draws a regression with a method that its target supports. */
export function aRegression(context: ModelContext, common: CommonParts): PmmlRegression {
  const { draw, categories, isOrdinal } = context
  if (common.function === 'regression')
    return {
      element: 'RegressionModel',
      ...common,
      normalization: draw.pick(METHODS.regression),
      tables: [aTable(context)],
    }
  const normalization = draw.pick(
    isOrdinal ? METHODS.ordinal : categories.length === 2 ? METHODS.two : METHODS.more,
  )
  if (isOrdinal)
    return { element: 'RegressionModel', ...common, normalization, tables: ordinalTables(context) }
  // the order of the tables is that of the file
  const order = draw.chance(50) ? categories : categories.toReversed()
  const hasRest = !['softmax', 'simplemax'].includes(normalization)
  return {
    element: 'RegressionModel',
    ...common,
    normalization,
    tables: order.map((targetCategory, at) =>
      hasRest && at === order.length - 1
        ? restTable(targetCategory)
        : { ...aTable(context, at), targetCategory },
    ),
  }
}

const restTable = (targetCategory: string): RegressionTable => {
  return { targetCategory, intercept: 0, numeric: [], categorical: [], terms: [] }
}

/** Draws tables with equal slopes and mostly increasing intercepts, so that cumulative probabilities mostly increase. */
function ordinalTables(context: ModelContext): RegressionTable[] {
  const { categories } = context
  const table = aTable(context)
  const rise = context.draw.chance(90) ? 1.5 : -1.5
  return categories.map((targetCategory, at) =>
    at === categories.length - 1
      ? restTable(targetCategory)
      : { ...table, targetCategory, intercept: table.intercept + rise * at },
  )
}

/** @param at index of the table, which makes results distinct. */
function aTable({ draw, known }: ModelContext, at = 0): RegressionTable {
  const numbers = known.filter(({ kind }) => kind === 'number')
  const texts = known.filter(({ kind }) => kind === 'text')
  const of = (fields: readonly RandomField[], most: number) =>
    draw.list(0, fields.length === 0 ? 0 : most, () => draw.pick(fields).name)
  const coefficient = () => draw.whole(-16, 16) / 8
  return {
    intercept: coefficient() + 0.003 * (at + 1),
    numeric: of(numbers, 2).map((field) => ({
      field,
      exponent: draw.chance(20) ? 2 : 1,
      coefficient: coefficient(),
    })),
    // each category of a field is named once
    categorical: [...new Set(of(texts, 2))].flatMap((field) =>
      [...new Set(draw.list(1, 2, () => aText(draw)))].map((value) => ({
        field,
        value,
        coefficient: coefficient(),
      })),
    ),
    terms:
      draw.chance(20) && numbers.length > 0
        ? [{ coefficient: coefficient(), fields: draw.list(1, 2, () => draw.pick(numbers).name) }]
        : [],
  }
}
