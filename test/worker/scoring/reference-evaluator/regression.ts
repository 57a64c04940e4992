import type { PmmlRegression, RegressionTable } from '../../../../db/scorecards/definition/pmml.ts'
import { type Fields, findValue } from './fields.ts'
import { inverseLink } from './links.ts'
import { roundBy } from './math-context.ts'
import { mostProbable, NOTHING, normalise, type Prediction } from './prediction.ts'
import { rescale } from './targets.ts'
import { equalsText, InvalidResult, numberOf } from './values.ts'

/** @see https://dmg.org/pmml/v4-4-1/Regression.html */
export function evaluateRegression(model: PmmlRegression, fields: Fields): Prediction {
  const results = model.tables.map((table) => evaluateTable(table, fields, roundBy(model)))
  const values = results.filter((result) => result !== undefined)
  if (values.length < results.length) return NOTHING
  const [y = Number.NaN] = values
  if (model.function === 'regression') {
    return { value: rescale(numberByMethod(model.normalization, y), model) }
  }
  const categories = model.tables.map(({ targetCategory = '' }) => targetCategory)
  // simplemax is undefined for negative predictors
  if (model.normalization === 'simplemax' && (Math.min(...values) < 0 || Math.max(...values) <= 0))
    return NOTHING
  const computed = isOrdinal(model, fields) ? ordinalShares(model, values) : categoricalShares(model, values)
  // docs/pmml.md: a millionth beyond 0 or 1 counts as rounding
  if (!computed.every((share) => share >= -1e-6 && share <= 1 + 1e-6))
    throw new InvalidResult('not a probability')
  const shares = computed.map((share) => Math.min(1, Math.max(0, share)))
  return mostProbable(new Map(categories.map((category, at) => [category, shares[at] ?? Number.NaN])))
}

/** Sums a table, with the intercept last, which matters with 32 bits only; undefined if a required number is missing. */
function evaluateTable(
  table: RegressionTable,
  fields: Fields,
  round: (value: number) => number,
): number | undefined {
  let sum = 0
  const add = (term: number) => {
    sum = round(sum + round(term))
  }
  for (const { field, exponent, coefficient } of table.numeric) {
    const value = findValue(fields, field)
    if (value === undefined) return undefined
    add(round(coefficient) * round(round(numberOf(value)) ** exponent))
  }
  // a missing category matches none
  for (const { field, value: text, coefficient } of table.categorical) {
    const value = findValue(fields, field)
    if (value !== undefined && equalsText(value, text)) add(coefficient)
  }
  for (const { coefficient, fields: factors } of table.terms) {
    let product = round(coefficient)
    for (const name of factors) {
      const value = findValue(fields, name)
      if (value === undefined) return undefined
      product = round(product * round(numberOf(value)))
    }
    add(product)
  }
  add(table.intercept)
  return sum
}

const isOrdinal = ({ fields: schema }: PmmlRegression, { dictionary }: Fields): boolean =>
  schema.some(({ name, usage }) => usage === 'target' && dictionary.get(name)?.optype === 'ordinal')

type Method = PmmlRegression['normalization']

function numberByMethod(method: Method, y: number): number {
  return inverseLink(method === 'softmax' ? 'logit' : method, y)
}

/** Probabilities of an unordered target; the last category gets the rest. */
function categoricalShares({ normalization }: PmmlRegression, values: readonly number[]): number[] {
  if (normalization === 'softmax') {
    const most = Math.max(...values)
    return shares(values.map((y) => Math.exp(y - most)))
  }
  if (normalization === 'simplemax') return shares(values)
  // with two categories, the probability is limited to 0 to 1
  const clamp = (y: number) => (values.length === 2 ? Math.min(1, Math.max(0, y)) : y)
  const first = values.slice(0, -1).map((y) => clamp(inverseLink(normalization, y)))
  return [...first, 1 - first.reduce((a, b) => a + b, 0)]
}

/** Probabilities of an ordinal target, whose tables give cumulative probabilities. */
function ordinalShares({ normalization }: PmmlRegression, values: readonly number[]): number[] {
  const upTo = values.map((y, at) =>
    at === values.length - 1 ? 1 : Math.min(1, Math.max(0, inverseLink(normalization, y))),
  )
  return upTo.map((share, at) => share - (upTo[at - 1] ?? 0))
}

const shares = (weights: readonly number[]): number[] => [
  ...normalise(new Map(weights.map((weight, at) => [String(at), weight]))).values(),
]
