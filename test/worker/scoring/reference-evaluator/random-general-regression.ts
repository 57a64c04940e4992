import type { PmmlGeneralRegression, PredictorCell } from '../../../../db/scorecards/definition/pmml.ts'
import type { Draw } from './draw.ts'
import { aText, type RandomField, TEXTS } from './random-fields.ts'

interface ModelContext {
  readonly draw: Draw
  readonly known: readonly RandomField[]
  readonly categories: readonly string[]
  readonly contrasts: boolean
}

const LINKS = {
  regression: [
    'identity',
    'log',
    'logit',
    'probit',
    'cloglog',
    'loglog',
    'cauchit',
    'logc',
    'power',
    'oddspower',
    'negbin',
  ],
  classification: ['logit', 'probit', 'cloglog', 'loglog', 'cauchit', 'log', 'logc', 'identity'],
} as const

/** Draws a general regression with powers, categories, contrasts and their products. */
export function aGeneralRegression(
  context: ModelContext,
  common: Pick<PmmlGeneralRegression, 'function' | 'fields' | 'derived' | 'targets' | 'outputs'>,
): PmmlGeneralRegression {
  const { draw, known, categories } = context
  const numbers = known.filter(({ kind }) => kind === 'number')
  const isNumber = common.function === 'regression'
  const modelType = isNumber
    ? draw.pick(['generalizedLinear', 'generalizedLinear', 'regression', 'generalLinear'] as const)
    : categories.length > 2 || draw.chance(30)
      ? 'multinomialLogistic'
      : 'generalizedLinear'
  const isLinked = modelType === 'generalizedLinear'
  const link = isLinked ? draw.pick(LINKS[common.function]) : undefined
  const order = draw.chance(50) ? categories : categories.toReversed()
  const ownOrField = () =>
    numbers.length > 0 && draw.chance(50) ? { field: draw.pick(numbers).name } : draw.whole(1, 8) / 4
  return {
    element: 'GeneralRegressionModel',
    ...common,
    modelType,
    link,
    linkParameter: link === 'power' || link === 'oddspower' ? draw.pick([1, 2, 0.5, 0, -1]) : undefined,
    distributionParameter: link === 'negbin' ? draw.pick([1, 2]) : undefined,
    offset: isLinked && draw.chance(30) ? ownOrField() : undefined,
    trials: isNumber && draw.chance(20) ? ownOrField() : undefined,
    referenceCategory: isNumber ? undefined : order.at(-1),
    tables: (isNumber ? [undefined] : order.slice(0, -1)).map((targetCategory, at) => ({
      targetCategory,
      // distinct intercepts, so that no two categories are equal
      parameters: [
        { coefficient: draw.whole(-16, 16) / 16 + 0.003 * (at + 1), cells: [] },
        ...draw.list(0, 3, () => ({
          coefficient: draw.whole(-16, 16) / 16,
          cells: draw.list(1, 2, () => aCell(context)).filter((cell) => cell !== undefined),
        })),
      ],
    })),
  }
}

function aCell({ draw, known, contrasts }: ModelContext): PredictorCell | undefined {
  const usable = known.filter(({ kind }) => kind !== 'truth')
  if (usable.length === 0) return undefined
  const { name: field, kind } = draw.pick(usable)
  if (kind === 'number') return { field, exponent: draw.pick([1, 1, 2, 3]) }
  // a factor has a contrast matrix or none
  if (!contrasts || field.endsWith('0')) return { field, category: aText(draw) }
  return {
    field,
    contrasts: TEXTS.slice(0, 3).map((category) => ({ category, value: draw.whole(-2, 2) / 2 })),
  }
}
