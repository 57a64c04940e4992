import type { BinPart } from './parse-bin.ts'

/** A row of a points table, understood. */
export interface PointsRow {
  /** For messages: `card.csv, line 3`. */
  readonly place: string
  readonly variable: string
  /** As the tool prints it. */
  readonly label: string
  readonly parts: readonly BinPart[]
  readonly points: number
  /** Of the logistic regression, where it is known. */
  readonly woe?: number
}

/** A points table, whichever tool made it. */
export interface PointsTable {
  /** Name and what is known of its version. */
  readonly tool: string
  readonly basePoints: number
  readonly rows: readonly PointsRow[]
  readonly logit?: { readonly intercept: number; readonly coefficients: ReadonlyMap<string, number> }
  /** For a person, a sentence each. */
  readonly notes: readonly string[]
}
