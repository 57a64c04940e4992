import { UserError } from '../../../cli/user-error.ts'
import { requireColumn, requireNumber, type Table } from '../read-table.ts'
import { parseOptbinningBin } from './parse-bin.ts'
import type { PointsRow, PointsTable } from './points-table.ts'
import { requireText } from './read-points-table.ts'

/**
 * Reads the output of OptBinning's `Scorecard.table()`, summary or detailed. Its points are used unchanged, including those
 * of special and missing values: they come from `metric_special` and `metric_missing`, not from the weights of evidence.
 *
 * @throws UserError for invalid content, with place and column.
 */
export function readOptbinning(table: Table, basePoints: number | undefined): PointsTable {
  const variables = requireColumn(table, 'variable')
  const bins = requireColumn(table, 'bin')
  const points = requireColumn(table, 'points')
  const rows: PointsRow[] = table.rows
    .filter(({ cells }) => !/^totals?$/i.test(cells[bins] ?? ''))
    .map((row) => {
      const label = requireText(row, bins)
      const parts = parseOptbinningBin(label)
      if (label.includes('...'))
        throw new UserError(
          `${row.place}: the list of categories is truncated; write it with numpy.set_printoptions(threshold=sys.maxsize)`,
        )
      for (const part of parts)
        if (part.kind === 'interval' && part.from !== undefined && part.from === part.below)
          throw new UserError(
            `${row.place}: the bin ${label} is empty because its bounds are rounded; fit the scorecard with more show_digits`,
          )
      return {
        place: row.place,
        variable: requireText(row, variables),
        label,
        parts,
        points: requireNumber(row, points) + 0,
      }
    })
  if (basePoints === undefined && lowestOfEach(rows).every((lowest) => lowest === 0))
    throw new UserError(
      `${table.file}: the lowest points of every variable are 0, so the card is intercept-based, but its table lacks the ` +
        'intercept: give --base-points with the intercept_ of the scorecard',
    )
  return {
    tool: 'OptBinning',
    basePoints: basePoints ?? 0,
    rows,
    notes: ['The bounds of bins are rounded as in the table, to show_digits digits (2 by default)'],
  }
}

function lowestOfEach(rows: readonly PointsRow[]): number[] {
  const lowest = new Map<string, number>()
  for (const { variable, points } of rows)
    lowest.set(variable, Math.min(points, lowest.get(variable) ?? Number.POSITIVE_INFINITY))
  return [...lowest.values()]
}
