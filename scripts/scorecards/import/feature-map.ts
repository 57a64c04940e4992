import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { FEATURES, isFeatureName } from '../../../db/capture/features.ts'
import { UserError } from '../../cli/user-error.ts'
import { nearestNames } from './nearest-names.ts'
import { findColumn, readCsv, requireColumn, requireNumber, type Table, type TableRow } from './read-table.ts'

/** What a model's input is, by a line of the map. */
export interface MappedInput {
  /** Left out: it is not named yet, so that the model can be verified but not deployed. */
  readonly feature?: string
  /** Values with a meaning of their own. */
  readonly special?: readonly string[]
  /** Values that stand for missing. */
  readonly missing?: readonly string[]
  /** What the model calls the values of the feature, where it has other texts for them. */
  readonly values?: Readonly<Record<string, string>>
  /** By their codes, from 0; of trees, where the file does not tell. */
  readonly categories?: readonly string[]
  /** Reason code of the input's characteristic. */
  readonly reason?: string
  readonly text?: string
  readonly baseline?: number
}

/** By the model's names. */
export type FeatureMap = ReadonlyMap<string, MappedInput>

/**
 * Reads a map: CSV with columns `input` and, as wanted, `feature`, `special`, `missing` and `categories` (values joined by
 * `|`), `values` (as `true=Yes|false=No`), `reason`, `text` and `baseline`.
 *
 * @throws UserError for a feature that is none, with those of the nearest names.
 */
export async function readFeatureMap(file: string): Promise<FeatureMap> {
  const table = readCsv(await readFile(file, 'utf8'), basename(file))
  const inputColumn = requireColumn(table, 'input', 'name', 'variable')
  const featureColumn = findColumn(table, 'feature')
  const map = new Map<string, MappedInput>()
  for (const row of table.rows) {
    const input = row.cells[inputColumn] ?? ''
    const feature = (featureColumn === undefined ? undefined : row.cells[featureColumn]) || undefined
    if (map.has(input)) throw new UserError(`${row.place}: ${input} is mapped already`)
    if (feature !== undefined && !isFeatureName(feature))
      throw new UserError(
        `${row.place}: there is no feature ${JSON.stringify(feature)}; ${nearestFeatures(feature)}`,
      )
    map.set(input, { ...(feature !== undefined && { feature }), ...optionsOf(table, row) })
  }
  return map
}

/** For an input that is no feature: which may be meant. */
export const nearestFeatures = (name: string): string =>
  `the nearest are ${nearestNames(name, Object.keys(FEATURES)).join(', ')}; GET /features lists all`

function optionsOf(table: Table, row: TableRow): Omit<MappedInput, 'feature'> {
  const cell = (name: string) => {
    const column = findColumn(table, name)
    return column === undefined ? '' : (row.cells[column] ?? '')
  }
  const list = (name: string) =>
    cell(name) === ''
      ? undefined
      : cell(name)
          .split('|')
          .map((value) => value.trim())
  const lists = { special: list('special'), missing: list('missing'), categories: list('categories') }
  const texts = { reason: cell('reason') || undefined, text: cell('text') || undefined }
  const baseline =
    cell('baseline') === '' ? undefined : requireNumber(row, findColumn(table, 'baseline') ?? 'baseline')
  const values = cell('values') === '' ? undefined : parseValues(cell('values'), row.place)
  const given = Object.entries({ ...lists, ...texts, baseline, values }).filter(
    ([, value]) => value !== undefined,
  )
  return Object.fromEntries(given)
}

/** `true=Yes|false=No`. @throws UserError with the place of a part without `=`, or of a value that is there twice. */
function parseValues(text: string, place: string): Readonly<Record<string, string>> {
  const pairs = text.split('|').map((part) => {
    const at = part.indexOf('=')
    if (at < 0)
      throw new UserError(
        `${place}, column values: ${JSON.stringify(part)} is no VALUE=TEXT, as in true=Yes|false=No`,
      )
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const
  })
  if (new Set(pairs.map(([value]) => value)).size < pairs.length)
    throw new UserError(`${place}, column values: a value is there twice`)
  return Object.fromEntries(pairs)
}
