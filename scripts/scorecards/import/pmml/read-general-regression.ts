import {
  type PmmlGeneralRegression,
  type PredictorCell,
  WORDS,
} from '../../../../db/scorecards/definition/pmml.ts'
import { categoryOf } from '../../../../worker/scoring/pmml/prediction.ts'
import { readNumber } from '../../../../worker/scoring/pmml/values.ts'
import { type Common, type ReadContext, refer } from './read-context.ts'
import { type ElementReader, readElement } from './read-element.ts'
import { readMatrix } from './read-matrix.ts'

/** Unsupported model types with advice. */
const OTHER_TYPES = {
  ordinalMultinomial:
    'cumulative links are not supported: export a binomial model of good and bad, or a RegressionModel of an ordinal target',
  CoxRegression: 'survival models are not supported: export a binomial model of the outcome at a fixed time',
} as const

/**
 * Reads a GeneralRegressionModel: PPMatrix and ParamMatrix become one table of parameters for each target category.
 *
 * @see https://dmg.org/pmml/v4-4/GeneralRegression.html
 */
export function readGeneralRegression(
  from: ElementReader,
  common: Common,
  reading: ReadContext,
): PmmlGeneralRegression {
  from.ignore('targetVariableName', 'distribution', 'modelDF')
  from.skip('PCovMatrix')
  if (common.mathContext === 'float')
    from.fail('a general regression with x-mathContext="float" is not supported')
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

function readModelType(from: ElementReader): PmmlGeneralRegression['modelType'] {
  for (const [other, why] of Object.entries(OTHER_TYPES))
    if (from.text('modelType') === other) from.fail(`modelType="${other}": ${why}`)
  return from.choice('modelType', WORDS.modelTypes) ?? from.fail('the attribute modelType is missing')
}

function readLink(
  from: ElementReader,
  modelType: PmmlGeneralRegression['modelType'],
): Pick<PmmlGeneralRegression, 'link' | 'linkParameter' | 'distributionParameter'> {
  const link = from.choice('linkFunction', WORDS.links)
  const linkParameter = from.number('linkParameter')
  const distributionParameter = from.number('distParameter')
  if (modelType === 'generalizedLinear') {
    if (link === undefined) from.fail('the attribute linkFunction is missing')
    return {
      link,
      linkParameter: link === 'power' || link === 'oddspower' ? linkParameter : undefined,
      distributionParameter: link === 'negbin' ? distributionParameter : undefined,
    }
  }
  const own = modelType === 'multinomialLogistic' ? 'logit' : 'identity'
  if (link !== undefined && link !== own)
    from.fail(`linkFunction="${link}" is not supported for ${modelType}`)
  return {}
}

function readOwnOrField(from: ElementReader, name: 'offset' | 'trials', reading: ReadContext) {
  const field = from.text(`${name}Variable`)
  return field === undefined ? from.number(`${name}Value`) : { field: refer(reading, field) }
}

function readOffset(
  from: ElementReader,
  modelType: PmmlGeneralRegression['modelType'],
  reading: ReadContext,
) {
  const offset = readOwnOrField(from, 'offset', reading)
  if (offset === undefined || offset === 0) return {}
  if (modelType !== 'generalizedLinear') from.fail(`an offset is not supported for ${modelType}`)
  return { offset }
}

function readTrials(from: ElementReader, isNumber: boolean, reading: ReadContext) {
  const trials = readOwnOrField(from, 'trials', reading)
  if (trials === undefined || trials === 1) return {}
  if (!isNumber) from.fail('trials are only for models that predict a number')
  return { trials }
}

function readParameters(from: ElementReader): Set<string> {
  return readElement(from.requiredChild('ParameterList'), (list) => {
    const names = list.children('Parameter').map((parameter) =>
      readElement(parameter, (of) => {
        of.ignore('label', 'referencePoint')
        return of.required('name')
      }),
    )
    return new Set(names)
  })
}

type MakeCell = (value: string, from: ElementReader) => PredictorCell

/** Returns the readers of cells by predictor name. */
function readPredictors(from: ElementReader): Map<string, MakeCell> {
  const makers = new Map<string, MakeCell>()
  for (const list of ['FactorList', 'CovariateList'] as const) {
    const element = from.child(list)
    if (!element) continue
    readElement(element, (of) => {
      for (const predictor of of.children('Predictor'))
        readElement(predictor, (one) => {
          const name = one.required('name')
          if (makers.has(name)) one.fail(`duplicate predictor ${JSON.stringify(name)}`)
          makers.set(name, list === 'FactorList' ? readFactor(one, name) : readCovariate(one, name))
        })
    })
  }
  return makers
}

function readCovariate(from: ElementReader, field: string): MakeCell {
  if (from.child('Matrix')) from.fail('a Matrix of a covariate is not supported')
  return (value, cell) => {
    const exponent = readNumber(value)
    if (Number.isNaN(exponent)) cell.fail(`the exponent ${JSON.stringify(value)} is not a number`)
    return { field, exponent }
  }
}

/** Without a matrix, the value is 1 for the category of the cell; with a matrix, it is the column of that category. */
function readFactor(from: ElementReader, field: string): MakeCell {
  from.ignore('contrastMatrixType')
  const matrix = from.child('Matrix')
  const list = from.child('Categories')
  const categories = list
    ? readElement(list, (of) =>
        of.children('Category').map((one) => readElement(one, (category) => category.required('value'))),
      )
    : []
  if (!matrix) return (category) => ({ field, category })
  if (categories.length === 0) from.fail('a Matrix without Categories is not supported')
  const rows = readMatrix(matrix, categories.length)
  return (value, cell) => {
    const column = categories.indexOf(value)
    if (column < 0) cell.fail(`${field} has no category ${JSON.stringify(value)}`)
    return {
      field,
      contrasts: categories.map((category, row) => ({ category, value: rows[row]?.[column] ?? 0 })),
    }
  }
}

/** Cells by parameter, by target category; undefined for all categories without own cells. */
type Cells = Map<string | undefined, Map<string, PredictorCell[]>>

function readCells(from: ElementReader, parameters: ReadonlySet<string>, reading: ReadContext): Cells {
  const predictors = readPredictors(from)
  const cells: Cells = new Map()
  readElement(from.requiredChild('PPMatrix'), (matrix) => {
    for (const element of matrix.children('PPCell'))
      readElement(element, (of) => {
        const name = of.required('predictorName')
        const parameter = requireParameter(of, parameters)
        const make =
          predictors.get(name) ??
          of.fail(`${JSON.stringify(name)} is in neither FactorList nor CovariateList`)
        const category = of.text('targetCategory')
        const own = cells.get(category) ?? new Map<string, PredictorCell[]>()
        cells.set(category, own)
        own.set(parameter, [...(own.get(parameter) ?? []), make(of.required('value'), of)])
        refer(reading, name)
      })
  })
  return cells
}

function requireParameter(from: ElementReader, parameters: ReadonlySet<string>): string {
  const name = from.required('parameterName')
  return parameters.has(name) ? name : from.fail(`unknown Parameter ${JSON.stringify(name)}`)
}

type Tables = PmmlGeneralRegression['tables']

function readTables(from: ElementReader, parameters: ReadonlySet<string>, cells: Cells): Tables {
  const tables = new Map<string | undefined, Map<string, number>>()
  readElement(from.requiredChild('ParamMatrix'), (matrix) => {
    for (const element of matrix.children('PCell'))
      readElement(element, (of) => {
        of.ignore('df')
        const category = of.text('targetCategory')
        const parameter = requireParameter(of, parameters)
        const table = tables.get(category) ?? new Map<string, number>()
        tables.set(category, table)
        if (table.has(parameter)) of.fail(`duplicate PCell of ${JSON.stringify(parameter)}`)
        table.set(parameter, of.requiredNumber('beta'))
      })
  })
  if (tables.size === 0) from.fail('a PCell is missing')
  return [...tables].map(([targetCategory, table]) => {
    const own = cells.get(targetCategory) ?? cells.get(undefined)
    if (!own && cells.size > 0) from.fail(`the PPMatrix has no cells for ${JSON.stringify(targetCategory)}`)
    return {
      targetCategory,
      parameters: [...table].map(([name, coefficient]) => ({ coefficient, cells: own?.get(name) ?? [] })),
    }
  })
}

/** Finds the reference category, which has no parameters: the named one, or the only one that is not in the matrix. */
function withReference(
  from: ElementReader,
  tables: Tables,
  common: Common,
  { dictionary }: ReadContext,
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
      : from.fail('the reference category is not known: give targetReferenceCategory'))
  const named = tables.flatMap((table) => {
    const { targetCategory = values.find((value) => values.length === 2 && !same(value, reference)) } = table
    if (targetCategory === undefined) return from.fail('a PCell has no targetCategory')
    if (!same(targetCategory, reference)) return { ...table, targetCategory }
    if (table.parameters.some(({ coefficient }) => coefficient !== 0))
      from.fail(`the reference category, ${JSON.stringify(reference)}, has parameters`)
    return []
  })
  return { tables: named, referenceCategory: reference }
}
