import {
  type PmmlGeneralRegression,
  type PredictorCell,
  WORDS,
} from '../../../../db/scorecards/definition/pmml.ts'
import { categoryOf } from '../../../../worker/scoring/pmml/prediction.ts'
import { readNumber } from '../../../../worker/scoring/pmml/values.ts'
import { type Asked, ask } from './ask-element.ts'
import { readMatrix } from './read-matrix.ts'
import { type Common, type Reading, refer } from './reading.ts'

/** Kinds of model that are refused, each with the reason. */
const OTHER_TYPES = {
  ordinalMultinomial:
    'cumulative links are not supported: export a binomial model, of good and bad, or a RegressionModel of an ordinal target',
  CoxRegression: 'survival models are not supported: export a binomial model of the outcome at a fixed time',
} as const

/**
 * Reads a GeneralRegressionModel: PPMatrix and ParamMatrix become one table of parameters for each target category.
 *
 * @see https://dmg.org/pmml/v4-4/GeneralRegression.html
 */
export function readGeneralRegression(from: Asked, common: Common, reading: Reading): PmmlGeneralRegression {
  from.ignore('targetVariableName', 'distribution', 'modelDF')
  from.skip('PCovMatrix')
  if (common.mathContext === 'float')
    from.refuse('a general regression with x-mathContext="float" is not supported')
  const modelType = readModelType(from)
  const link = readLink(from, modelType)
  const parameters = readParameters(from)
  const cells = readCells(from, parameters, reading)
  const tables = readTables(from, parameters, cells)
  const isNumber = common.function === 'regression'
  return {
    element: 'GeneralRegressionModel',
    ...common,
    modelType,
    ...link,
    ...readOffset(from, modelType, reading),
    ...readTrials(from, isNumber, reading),
    ...(isNumber ? { tables } : withReference(from, tables, common, reading)),
  }
}

function readModelType(from: Asked): PmmlGeneralRegression['modelType'] {
  for (const [other, why] of Object.entries(OTHER_TYPES))
    if (from.text('modelType') === other) from.refuse(`modelType="${other}": ${why}`)
  return from.choice('modelType', WORDS.modelTypes) ?? from.refuse('the attribute modelType is missing')
}

function readLink(
  from: Asked,
  modelType: PmmlGeneralRegression['modelType'],
): Pick<PmmlGeneralRegression, 'link' | 'linkParameter' | 'distributionParameter'> {
  const link = from.choice('linkFunction', WORDS.links)
  const linkParameter = from.number('linkParameter')
  const distributionParameter = from.number('distParameter')
  if (modelType === 'generalizedLinear') {
    if (link === undefined) from.refuse('the attribute linkFunction is missing')
    return {
      link,
      linkParameter: link === 'power' || link === 'oddspower' ? linkParameter : undefined,
      distributionParameter: link === 'negbin' ? distributionParameter : undefined,
    }
  }
  const own = modelType === 'multinomialLogistic' ? 'logit' : 'identity'
  if (link !== undefined && link !== own) from.refuse(`linkFunction="${link}" is not for ${modelType}`)
  return {}
}

function readOwnOrField(from: Asked, name: 'offset' | 'trials', reading: Reading) {
  const field = from.text(`${name}Variable`)
  return field === undefined ? from.number(`${name}Value`) : { field: refer(reading, field) }
}

function readOffset(from: Asked, modelType: PmmlGeneralRegression['modelType'], reading: Reading) {
  const offset = readOwnOrField(from, 'offset', reading)
  if (offset === undefined || offset === 0) return {}
  if (modelType !== 'generalizedLinear') from.refuse(`an offset is not for ${modelType}`)
  return { offset }
}

function readTrials(from: Asked, isNumber: boolean, reading: Reading) {
  const trials = readOwnOrField(from, 'trials', reading)
  if (trials === undefined || trials === 1) return {}
  if (!isNumber) from.refuse('trials are for models that predict a number')
  return { trials }
}

function readParameters(from: Asked): Set<string> {
  return ask(from.requiredChild('ParameterList'), (list) => {
    const names = list.children('Parameter').map((parameter) =>
      ask(parameter, (of) => {
        of.ignore('label', 'referencePoint')
        return of.required('name')
      }),
    )
    return new Set(names)
  })
}

type MakeCell = (value: string, from: Asked) => PredictorCell

/** By the name of a predictor, what a cell of it is. */
function readPredictors(from: Asked): Map<string, MakeCell> {
  const makers = new Map<string, MakeCell>()
  for (const list of ['FactorList', 'CovariateList'] as const) {
    const element = from.child(list)
    if (!element) continue
    ask(element, (of) => {
      for (const predictor of of.children('Predictor'))
        ask(predictor, (one) => {
          const name = one.required('name')
          if (makers.has(name)) one.refuse(`there is a predictor ${JSON.stringify(name)} already`)
          makers.set(name, list === 'FactorList' ? readFactor(one, name) : readCovariate(one, name))
        })
    })
  }
  return makers
}

function readCovariate(from: Asked, field: string): MakeCell {
  if (from.child('Matrix')) from.refuse('a Matrix of a covariate is not supported')
  return (value, cell) => {
    const exponent = readNumber(value)
    if (Number.isNaN(exponent)) cell.refuse(`the exponent ${JSON.stringify(value)} is no number`)
    return { field, exponent }
  }
}

/** Without a matrix, 1 for the category of the cell; with one, the column of that category. */
function readFactor(from: Asked, field: string): MakeCell {
  from.ignore('contrastMatrixType')
  const matrix = from.child('Matrix')
  const list = from.child('Categories')
  const categories = list
    ? ask(list, (of) =>
        of.children('Category').map((one) => ask(one, (category) => category.required('value'))),
      )
    : []
  if (!matrix) return (category) => ({ field, category })
  if (categories.length === 0) from.refuse('a Matrix without Categories is not supported')
  const rows = readMatrix(matrix, categories.length)
  return (value, cell) => {
    const column = categories.indexOf(value)
    if (column < 0) cell.refuse(`${field} has no category ${JSON.stringify(value)}`)
    return {
      field,
      contrasts: categories.map((category, row) => ({ category, value: rows[row]?.[column] ?? 0 })),
    }
  }
}

/** Cells by parameter, by target category; undefined: for all categories that have none of their own. */
type Cells = Map<string | undefined, Map<string, PredictorCell[]>>

function readCells(from: Asked, parameters: ReadonlySet<string>, reading: Reading): Cells {
  const predictors = readPredictors(from)
  const cells: Cells = new Map()
  ask(from.requiredChild('PPMatrix'), (matrix) => {
    for (const element of matrix.children('PPCell'))
      ask(element, (of) => {
        const name = of.required('predictorName')
        const parameter = requireParameter(of, parameters)
        const make =
          predictors.get(name) ??
          of.refuse(`${JSON.stringify(name)} is in no FactorList and no CovariateList`)
        const category = of.text('targetCategory')
        const own = cells.get(category) ?? new Map<string, PredictorCell[]>()
        cells.set(category, own)
        own.set(parameter, [...(own.get(parameter) ?? []), make(of.required('value'), of)])
        refer(reading, name)
      })
  })
  return cells
}

function requireParameter(from: Asked, parameters: ReadonlySet<string>): string {
  const name = from.required('parameterName')
  return parameters.has(name) ? name : from.refuse(`there is no Parameter ${JSON.stringify(name)}`)
}

type Tables = PmmlGeneralRegression['tables']

function readTables(from: Asked, parameters: ReadonlySet<string>, cells: Cells): Tables {
  const tables = new Map<string | undefined, Map<string, number>>()
  ask(from.requiredChild('ParamMatrix'), (matrix) => {
    for (const element of matrix.children('PCell'))
      ask(element, (of) => {
        of.ignore('df')
        const category = of.text('targetCategory')
        const parameter = requireParameter(of, parameters)
        const table = tables.get(category) ?? new Map<string, number>()
        tables.set(category, table)
        if (table.has(parameter)) of.refuse(`there is a PCell of ${JSON.stringify(parameter)} already`)
        table.set(parameter, of.requiredNumber('beta'))
      })
  })
  if (tables.size === 0) from.refuse('there is no PCell within')
  return [...tables].map(([targetCategory, table]) => {
    const own = cells.get(targetCategory) ?? cells.get(undefined)
    if (!own && cells.size > 0) from.refuse(`the PPMatrix has no cells for ${JSON.stringify(targetCategory)}`)
    return {
      targetCategory,
      parameters: [...table].map(([name, coefficient]) => ({ coefficient, cells: own?.get(name) ?? [] })),
    }
  })
}

/** The category of reference has no parameters: the one that is named, or the only one that the matrix does not have. */
function withReference(
  from: Asked,
  tables: Tables,
  common: Common,
  { dictionary }: Reading,
): Pick<PmmlGeneralRegression, 'tables' | 'referenceCategory'> {
  const target = dictionary.get(common.fields.find(({ usage }) => usage === 'target')?.name ?? '')
  const same = (a: string | undefined, b: string) =>
    a !== undefined && categoryOf(a, target?.dataType) === categoryOf(b, target?.dataType)
  const values = target?.values ?? []
  const rest = values.filter((value) => !tables.some(({ targetCategory }) => same(targetCategory, value)))
  const given = from.text('targetReferenceCategory')
  const [only] = rest
  const reference =
    given ??
    (rest.length === 1 && only !== undefined
      ? only
      : from.refuse('which category is the one of reference? Give targetReferenceCategory'))
  const named = tables.flatMap((table) => {
    const { targetCategory = values.find((value) => values.length === 2 && !same(value, reference)) } = table
    if (targetCategory === undefined) return from.refuse('a PCell has no targetCategory')
    if (!same(targetCategory, reference)) return { ...table, targetCategory }
    if (table.parameters.some(({ coefficient }) => coefficient !== 0))
      from.refuse(`the category of reference, ${JSON.stringify(reference)}, has parameters`)
    return []
  })
  return { tables: named, referenceCategory: reference }
}
