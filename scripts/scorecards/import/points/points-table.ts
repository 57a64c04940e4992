import type { BinPart } from './parse-bin.ts'

/** A parsed row of a points table. */
export interface PointsRow {
  /** For messages: `card.csv, line 3`. */
  readonly place: string
  readonly variable: string
  /** The label as printed by the tool. */
  readonly label: string
  readonly parts: readonly BinPart[]
  readonly points: number
  /** Weight of evidence of the logistic regression, if known. */
  readonly woe?: number
}

/** A points table of any tool. */
export interface PointsTable {
  /** Name and version, if known. */
  readonly tool: string
  readonly basePoints: number
  readonly rows: readonly PointsRow[]
  readonly logit?: { readonly intercept: number; readonly coefficients: ReadonlyMap<string, number> }
  /** Sentences for the analyst. */
  readonly notes: readonly string[]
}
