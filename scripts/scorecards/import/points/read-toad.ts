import { z } from 'zod'
import { UserError } from '../../../cli/user-error.ts'
import { requireColumn, requireNumber, type Table } from '../read-table.ts'
import { parseToadBin } from './parse-bin.ts'
import type { PointsRow, PointsTable } from './points-table.ts'
import { requireText } from './read-points-table.ts'

const Card = z.record(z.string(), z.record(z.string(), z.number()))

/** Whether a JSON document is the output of toad's `ScoreCard.export()`: points by bin, by variable. */
export const isToad = (json: unknown): boolean => {
  const card = Card.safeParse(json)
  return (
    card.success &&
    Object.values(card.data).length > 0 &&
    Object.values(card.data).every((bins) => Object.keys(bins).length > 0)
  )
}

/** Whether a table is the output of toad's `ScoreCard.export(to_csv=…)`: columns name, value and score. */
export const isToadTable = ({ columns }: Table): boolean =>
  columns.length === 3 && ['name', 'value', 'score'].every((name) => columns.includes(name))

/** @throws UserError with the differences from the format. */
export function readToad(json: unknown, file: string): PointsTable {
  const card = Card.safeParse(json)
  if (!card.success)
    throw new UserError(
      `${file} is not a toad card, {variable: {bin: points}}:\n${z.prettifyError(card.error)}`,
    )
  return tableOf(
    Object.entries(card.data).flatMap(([variable, bins]) =>
      Object.entries(bins).map(([label, points]) =>
        rowOf(`${file}, ${variable} ${label}`, variable, label, points),
      ),
    ),
  )
}

/** Reads the CSV of a card. @throws UserError for invalid content, with place and column. */
export function readToadTable(table: Table): PointsTable {
  const [name, value, score] = ['name', 'value', 'score'].map((column) => requireColumn(table, column)) as [
    string,
    string,
    string,
  ]
  return tableOf(
    table.rows.map((row) =>
      rowOf(row.place, requireText(row, name), requireText(row, value), requireNumber(row, score)),
    ),
  )
}

const rowOf = (place: string, variable: string, label: string, points: number): PointsRow => ({
  place,
  variable,
  label,
  parts: parseToadBin(label),
  points: points + 0, // -0 is 0
})

function tableOf(rows: readonly PointsRow[]): PointsTable {
  return {
    tool: 'toad',
    basePoints: 0,
    rows,
    notes: [
      'The export has rounded points (2 decimals by default), so a score can differ slightly from toad’s',
      'toad gives a category without a bin the lowest points of its variable; here it gives no score',
    ],
  }
}
