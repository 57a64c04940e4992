import type { PmmlGeneralRegression, PredictorCell } from '../../../../db/scorecards/definition/pmml.ts'
import { type Fields, findType, findValue } from './fields.ts'
import { inverseLink } from './links.ts'
import { mostProbable, NOTHING, normalise, type Prediction } from './prediction.ts'
import { rescale } from './targets.ts'
import { equalsText, numberOf } from './values.ts'

/** @see https://dmg.org/pmml/v4-4-1/GeneralRegression.html */
export function evaluateGeneralRegression(model: PmmlGeneralRegression, fields: Fields): Prediction {
  const offset = constantOrField(model.offset ?? 0, fields)
  const trials = constantOrField(model.trials ?? 1, fields)
  const sums = model.tables.map(({ parameters }) => {
    const products = parameters.map((parameter) => productOf(parameter, fields))
    return products.reduce<Maybe>(add, offset)
  })
  const predictors = sums.filter((sum) => sum !== undefined)
  if (trials === undefined || predictors.length < sums.length) return NOTHING
  const [y = Number.NaN] = predictors
  const mean = model.modelType === 'generalizedLinear' ? inverseLink(model.link ?? 'identity', y, model) : y
  if (model.function === 'regression')
    return Number.isNaN(mean) ? NOTHING : { value: rescale(mean * trials, model) }
  const categories = [...model.tables.map(({ targetCategory }) => targetCategory), model.referenceCategory]
  if (model.modelType === 'generalizedLinear' && !(mean >= 0 && mean <= 1)) return NOTHING
  const most = Math.max(0, ...predictors)
  const weights =
    model.modelType === 'generalizedLinear'
      ? [mean, 1 - mean]
      : [...predictors, 0].map((predictor) => Math.exp(predictor - most))
  return mostProbable(
    normalise(new Map(categories.map((category = '', at) => [category, weights[at] ?? Number.NaN]))),
  )
}

type Maybe = number | undefined

const multiply = (a: Maybe, b: Maybe): Maybe => (a === undefined || b === undefined ? undefined : a * b)
const add = (a: Maybe, b: Maybe): Maybe => (a === undefined || b === undefined ? undefined : a + b)

type Parameter = PmmlGeneralRegression['tables'][number]['parameters'][number]

/** As in JPMML, factors multiplied with a category that does not match are not evaluated. */
function productOf({ coefficient, cells }: Parameter, fields: Fields): Maybe {
  const product = (some: readonly PredictorCell[]) =>
    some.map((cell) => cellOf(cell, fields)).reduce<Maybe>(multiply, 1)
  const ofFactors = product(cells.filter((cell) => !('exponent' in cell)))
  if (ofFactors === 0) return 0
  return multiply(coefficient, multiply(ofFactors, product(cells.filter((cell) => 'exponent' in cell))))
}

function constantOrField(value: NonNullable<PmmlGeneralRegression['offset']>, fields: Fields): Maybe {
  if (typeof value === 'number') return value
  const found = findValue(fields, value.field)
  return found === undefined ? undefined : numberOf(found)
}

/** Evaluates a cell: a power of a covariate, or the indicator or contrast of a category. */
function cellOf(cell: PredictorCell, fields: Fields): Maybe {
  const value = findValue(fields, cell.field)
  if (value === undefined) return undefined
  if ('exponent' in cell) return numberOf(value) ** cell.exponent
  const is = (category: string) => equalsText(value, category, findType(fields, cell.field))
  if ('category' in cell) return is(cell.category) ? 1 : 0
  // the model does not support categories outside the matrix
  return cell.contrasts.find(({ category }) => is(category))?.value
}
