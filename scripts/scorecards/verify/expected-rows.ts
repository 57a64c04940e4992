import { basename } from 'node:path'
import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import type { InputValue } from '../../../worker/scoring/model.ts'
import { UserError } from '../../cli/user-error.ts'
import type { Table, TableRow } from '../import/read-table.ts'
import { namesOfOutputs, POINTS, PROBABILITY, REASON, REASONS, SCORE, sortColumns } from './result-columns.ts'
import { compileRowTexts, isAbsent } from './row-texts.ts'

/** The results of another engine for one row; missing results are omitted. */
export interface Expected {
  readonly score?: number | null
  readonly probability?: number | null
  /** Most important first. */
  readonly reasons?: readonly string[]
  /** Maximum number of reasons that it returns. */
  readonly reasonsAtMost?: number
  /** Points by characteristic; null if there is no score. */
  readonly points: Readonly<Record<string, number | null>>
  /** Results with other names; null is missing. */
  readonly outputs: Readonly<Record<string, string | null>>
}

/** A row to be verified. */
export interface ExpectedRow {
  /** For messages: `input.csv, line 3`. */
  readonly place: string
  /** By input name, without missing inputs. */
  readonly inputs: Readonly<Record<string, InputValue>>
  readonly expected: Expected
}

/** The rows of tables and the columns that are not compared. */
interface TableRows {
  readonly rows: readonly ExpectedRow[]
  /** A sentence per column. */
  readonly notCompared: readonly string[]
}

/**
 * Returns the rows of a table of inputs and a table of results, line by line, or of one table with both.
 *
 * @throws UserError if the numbers of results and inputs differ, a number is invalid, or no column is a result.
 */
export function rowsOfTables(card: BuiltScorecard, inputs: Table, results: Table): TableRows {
  const names = card.inputs.map(({ name }) => name)
  const outputs = namesOfOutputs(card)
  const typed = compileRowTexts(card)
  if (inputs.rows.length !== results.rows.length)
    throw new UserError(
      `${inputs.file} has ${inputs.rows.length} rows, but ${results.file} has ${results.rows.length}`,
    )
  const known = names.filter((name) => inputs.columns.includes(name))
  if (known.length === 0)
    throw new UserError(`${inputs.file} has no column with the name of a model input: ${names.join(', ')}`)
  const { compared, notCompared } = sortColumns(card, inputs, results)
  if (compared.length === 0)
    throw new UserError(
      [
        `${results.file} has no column of results: score, probability, reason_code_1 … or reason_codes, NAME_points, or an output of the model`,
        ...notCompared,
      ].join('\n'),
    )
  const isReason = (text: string) => !isAbsent(text) || Object.hasOwn(card.reasons.texts, text)
  return {
    rows: inputs.rows.map(({ place, cells }, at) => ({
      place,
      inputs: typed(Object.fromEntries(known.flatMap((name) => (cells[name] ? [[name, cells[name]]] : [])))),
      expected: expectedOf(compared, results.rows[at] as TableRow, (name) => outputs.has(name), isReason),
    })),
    notCompared,
  }
}

/** @throws UserError with the place and the column of what is not a number. */
function expectedOf(
  columns: readonly string[],
  row: TableRow,
  isOutput: (name: string) => boolean,
  isReason: (text: string) => boolean,
): Expected {
  const reasons = columns.filter((name) => REASON.test(name))
  const list = columns.find((name) => REASONS.test(name))
  const points: Record<string, number | null> = {}
  const outputs: Record<string, string | null> = {}
  let expected: Pick<Expected, 'score' | 'probability' | 'reasons' | 'reasonsAtMost'> = {}
  for (const column of columns) {
    const text = row.cells[column] ?? ''
    const characteristic = POINTS.exec(column)?.[1]
    if (reasons.includes(column) || column === list) continue
    if (SCORE.test(column)) expected = { ...expected, score: numberOf(row, column) }
    else if (PROBABILITY.test(column)) expected = { ...expected, probability: numberOf(row, column) }
    else if (characteristic !== undefined) points[characteristic] = numberOf(row, column)
    else if (isOutput(column)) outputs[column] = text === '' ? null : text
  }
  if (reasons.length > 0)
    expected = {
      ...expected,
      reasonsAtMost: reasons.length,
      reasons: reasons.map((name) => row.cells[name] ?? '').filter(isReason),
    }
  else if (list !== undefined)
    expected = {
      ...expected,
      reasons: (row.cells[list] ?? '')
        .split(/[|;]/)
        .map((code) => code.trim())
        .filter(isReason),
    }
  return { ...expected, points, outputs }
}

/** Returns the verification rows of a definition. */
export function rowsOfCard({ verification }: BuiltScorecard): ExpectedRow[] {
  return verification.map(({ inputs, score, probability, reasonCodes }, at) => ({
    place: `row ${at + 1} of verification`,
    inputs: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, value ?? undefined])),
    expected: {
      ...(score !== undefined && { score }),
      ...(probability !== undefined && { probability }),
      ...(reasonCodes && { reasons: reasonCodes }),
      points: {},
      outputs: {},
    },
  }))
}

/** Returns null for a missing score. */
function numberOf({ place, cells }: TableRow, column: string): number | null {
  const text = cells[column] ?? ''
  if (isAbsent(text) || text === '.') return null
  const value = Number(text)
  if (Number.isFinite(value)) return value
  throw new UserError(`${place}, column ${column}: ${JSON.stringify(text)} is not a number`)
}

/** Whether a table holds rows for several models: columns `model`, `input` and `expected`. */
export const isForManyModels = ({ columns }: Table): boolean =>
  ['model', 'input', 'expected'].every((name) => columns.includes(name))

/**
 * Returns the rows for one model from a table for many models, whose cells are `name=value;name=value`. A value without a
 * name is the input at that position, or the prediction; `(none)` means no input, `(null)` is missing, other remarks in
 * brackets are ignored.
 */
export function rowsForModel(card: BuiltScorecard, table: Table, model: string): ExpectedRow[] {
  const names = card.inputs.map(({ name }) => name)
  const typed = compileRowTexts(card)
  const name = basename(model).replace(/\.[^.]+$/, '')
  return table.rows
    .filter(({ cells }) => cells.model === name || cells.model === basename(model))
    .map((row) => {
      const results = pairsOf(row.cells.expected ?? '').map(({ name = PREDICTION, value }) => [name, value])
      const byName: TableRow = { place: row.place, cells: Object.fromEntries(results) }
      return {
        place: row.place,
        inputs: typed(
          Object.fromEntries(
            pairsOf(row.cells.input ?? '').flatMap(({ name, value }, at) => {
              const input = name ?? names[at]
              return input === undefined || value === '' ? [] : [[input, value]]
            }),
          ),
        ),
        expected: expectedByName(byName),
      }
    })
}

/** Names of results without a name. */
export const PREDICTION = 'predicted'

/** In a table for many models every name may be an output; only reasons are collected. */
function expectedByName(row: TableRow): Expected {
  const all = Object.keys(row.cells)
  const reasons = all.filter((name) => REASON.test(name))
  const others = all.filter((name) => !reasons.includes(name))
  return {
    points: {},
    outputs: Object.fromEntries(others.map((name) => [name, row.cells[name] || null])),
    ...(reasons.length > 0 && {
      reasonsAtMost: reasons.length,
      reasons: reasons.map((name) => row.cells[name] ?? '').filter(Boolean),
    }),
  }
}

function pairsOf(text: string): { name?: string; value: string }[] {
  const bare = text
    .replace(/\(null\)/g, '')
    .replace(/\([^)]*\)/g, '')
    .trim()
  if (bare === '') return []
  return bare.split(';').map((pair) => {
    const at = pair.indexOf('=')
    return at < 0
      ? { value: pair.trim() }
      : { name: pair.slice(0, at).trim(), value: pair.slice(at + 1).trim() }
  })
}
