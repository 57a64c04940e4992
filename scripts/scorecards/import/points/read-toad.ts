import { z } from 'zod'
import { Refusal } from '../../../admin-commands/refusal.ts'
import { parseToadBin } from './parse-bin.ts'
import type { PointsTable } from './points-table.ts'

const Card = z.record(z.string(), z.record(z.string(), z.number()))

/** Whether a JSON document is what toad's `ScoreCard.export()` gives: points by bin, by variable. */
export const isToad = (json: unknown): boolean => {
  const card = Card.safeParse(json)
  return (
    card.success &&
    Object.values(card.data).length > 0 &&
    Object.values(card.data).every((bins) => Object.keys(bins).length > 0)
  )
}

/** @throws Refusal that says what is no card. */
export function readToad(json: unknown, file: string): PointsTable {
  const card = Card.safeParse(json)
  if (!card.success)
    throw new Refusal(
      `${file} is no card of toad, {variable: {bin: points}}:\n${z.prettifyError(card.error)}`,
    )
  return {
    tool: 'toad',
    basePoints: 0,
    rows: Object.entries(card.data).flatMap(([variable, bins]) =>
      Object.entries(bins).map(([label, points]) => ({
        place: `${file}, ${variable} ${label}`,
        variable,
        label,
        parts: parseToadBin(label),
        points,
      })),
    ),
    notes: [
      'The export has rounded points (2 decimals unless said otherwise), so a score can differ from toad’s by the roundings',
      'toad gives a category that no bin names the lowest points of its variable; here it gives no score',
    ],
  }
}
