import type { PmmlGeneralRegression, PredictorCell } from '../../../../db/scorecards/definition/pmml.ts'
import { tag } from './write-tag.ts'

/** Attributes of a GeneralRegressionModel. */
export function writeLink({ modelType, link, offset, trials, ...model }: PmmlGeneralRegression) {
  return {
    modelType,
    linkFunction: link,
    linkParameter: model.linkParameter,
    distParameter: model.distributionParameter,
    targetReferenceCategory: model.referenceCategory,
    ...writeConstantOrField('offset', offset),
    ...writeConstantOrField('trials', trials),
  }
}

const writeConstantOrField = (name: string, value: PmmlGeneralRegression['offset']) =>
  typeof value === 'object' ? { [`${name}Variable`]: value.field } : { [`${name}Value`]: value }

/** Writes each coefficient as a separate parameter, defined by the matrices alone. */
export function writeParameters({ tables }: PmmlGeneralRegression): string[] {
  const rows = tables.flatMap(({ targetCategory, parameters }) =>
    parameters.map((parameter) => ({ targetCategory, ...parameter })),
  )
  const cells = rows.flatMap((row) => row.cells)
  const fieldsOf = (isFactor: boolean) => [
    ...new Set(cells.filter((cell) => isFactor !== 'exponent' in cell).map(({ field }) => field)),
  ]
  return [
    tag('ParameterList', {}, ...rows.map((_, at) => tag('Parameter', { name: `p${at}` }))),
    tag('FactorList', {}, ...fieldsOf(true).map((name) => tag('Predictor', { name }))),
    tag('CovariateList', {}, ...fieldsOf(false).map((name) => tag('Predictor', { name }))),
    tag(
      'PPMatrix',
      {},
      ...rows.flatMap((row, at) =>
        row.cells.map((cell) =>
          tag('PPCell', { value: valueOfCell(cell), predictorName: cell.field, parameterName: `p${at}` }),
        ),
      ),
    ),
    tag(
      'ParamMatrix',
      {},
      ...rows.map(({ targetCategory, coefficient }, at) =>
        tag('PCell', { targetCategory, parameterName: `p${at}`, beta: coefficient }),
      ),
    ),
  ]
}

function valueOfCell(cell: PredictorCell): string | number {
  if ('exponent' in cell) return cell.exponent
  if ('category' in cell) return cell.category
  throw new Error('writing contrasts is not supported')
}
