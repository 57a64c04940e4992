import { CsvError, parse } from 'csv-parse/sync'
import { UserError } from '../../cli/user-error.ts'

/** A table of texts, from CSV or JSON records. */
export interface Table {
  /** File name, for messages. */
  readonly file: string
  /** In their order. */
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
}

export interface TableRow {
  /** For messages: `card.csv, line 3`. */
  readonly place: string
  /** By column; missing cells are empty. */
  readonly cells: Readonly<Record<string, string>>
}

const MOST_ROWS = 1_000_000

/**
 * Reads CSV. The delimiter is comma, semicolon or tab, whichever is most frequent in the first line; quotes are doubled. A
 * byte order mark and an unnamed first column of row numbers are ignored.
 *
 * @throws UserError for a line that is not CSV and for a duplicate column.
 */
export function readCsv(text: string, file: string): Table {
  const lines = parseCsv(text, file)
  const [header, ...rest] = lines
  if (!header) throw new UserError(`${file} is empty: its first line must contain the column names`)
  const names = header.record.map((name) => name.trim())
  const isCounter = names[0] === '' && rest.every(({ record }, at) => Number(record[0]) === at)
  const columns = names.map((name, at) => (name === '' ? `column ${at + 1}` : name))
  requireUnique(columns, file)
  return {
    file,
    columns: isCounter ? columns.slice(1) : columns,
    rows: rest.map(({ record, info }) => {
      const place = `${file}, line ${info.lines}`
      if (record.length !== columns.length)
        throw new UserError(`${place} has ${record.length} cells instead of ${columns.length}`)
      return {
        place,
        cells: Object.fromEntries(columns.map((name, at) => [name, (record[at] as string).trim()])),
      }
    }),
  }
}

interface CsvLine {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

function parseCsv(text: string, file: string): CsvLine[] {
  try {
    return parse(text, {
      bom: true,
      info: true,
      delimiter: likelyDelimiter(text),
      relax_column_count: true,
      skip_empty_lines: true,
      to: MOST_ROWS,
    }) as unknown as CsvLine[]
  } catch (error) {
    if (error instanceof CsvError) throw new UserError(`${file} is not CSV: ${error.message}`)
    throw error
  }
}

function likelyDelimiter(text: string): string {
  const [first = ''] = text.split(/\r?\n/, 1)
  const count = (delimiter: string) => first.split(delimiter).length
  return [',', ';', '\t'].reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best))
}

/**
 * Reads JSON records: a list of objects, or an object of such lists.
 *
 * @throws UserError with advice on the format.
 */
export function readRecords(json: unknown, file: string): Table {
  const records = Array.isArray(json) ? json : Object.values(json as object).flat()
  const rows = records.map((record: unknown, at) => {
    const place = `${file}, row ${at + 1}`
    if (typeof record !== 'object' || record === null || Array.isArray(record))
      throw new UserError(
        `${place} is not a record; write the table as a list of objects, with pandas: to_json(orient='records')`,
      )
    return {
      place,
      cells: Object.fromEntries(Object.entries(record).map(([name, value]) => [name, textOf(value)])),
    }
  })
  return { file, columns: [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))], rows }
}

const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value).trim()

/** Finds a column by one of these lower-case names, ignoring case. */
export const findColumn = ({ columns }: Table, ...names: readonly string[]): string | undefined =>
  columns.find((column) => names.includes(column.toLowerCase()))

/** @throws UserError with the missing column and the existing ones. */
export function requireColumn(table: Table, ...names: readonly string[]): string {
  const found = findColumn(table, ...names)
  if (found !== undefined) return found
  throw new UserError(
    `${table.file} has no column ${names.join(' or ')}; its columns are ${table.columns.join(', ') || 'none'}`,
  )
}

/** @throws UserError with the place and the column if the cell is not a number. */
export function requireNumber({ place, cells }: TableRow, column: string): number {
  const text = cells[column] ?? ''
  const value = text === '' ? Number.NaN : Number(text)
  if (Number.isFinite(value)) return value
  throw new UserError(`${place}, column ${column}: ${JSON.stringify(text)} is not a number`)
}

function requireUnique(columns: readonly string[], file: string): void {
  const twice = columns.find((name, at) => columns.indexOf(name) !== at)
  if (twice !== undefined) throw new UserError(`${file} has two columns ${twice}`)
}
