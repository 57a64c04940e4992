import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { FEATURES, isFeatureName } from '../../../db/capture/features.ts'
import { UserError } from '../../cli/user-error.ts'
import { nearestNames } from './nearest-names.ts'
import { findColumn, readCsv, requireColumn, requireNumber, type Table, type TableRow } from './read-table.ts'

/** The mapping of a model input, from a line of the map. */
export interface MappedInput {
  /** Without a feature, the model can be verified but not deployed. */
  readonly feature?: string
  /** Special values. */
  readonly special?: readonly string[]
  /** Values that mean missing. */
  readonly missing?: readonly string[]
  /** The model's texts for the values of the feature, if they differ. */
  readonly values?: Readonly<Record<string, string>>
  /** Categories in the order of their codes, from 0; for trees whose file lacks them. */
  readonly categories?: readonly string[]
  /** Reason code of the input's characteristic. */
  readonly reason?: string
  readonly text?: string
  readonly baseline?: number
}

/** By input name. */
export type FeatureMap = ReadonlyMap<string, MappedInput>

/**
 * Reads a map: CSV with the columns `input` and optionally `feature`, `special`, `missing` and `categories` (values joined by
 * `|`), `values` (for example `true=Yes|false=No`), `reason`, `text` and `baseline`.
 *
 * @throws UserError for an unknown feature, with the features of the nearest names.
 */
export async function readFeatureMap(file: string): Promise<FeatureMap> {
  const table = readCsv(await readFile(file, 'utf8'), basename(file))
  const inputColumn = requireColumn(table, 'input', 'name', 'variable')
  const featureColumn = findColumn(table, 'feature')
  const map = new Map<string, MappedInput>()
  for (const row of table.rows) {
    const input = row.cells[inputColumn] ?? ''
    const feature = (featureColumn === undefined ? undefined : row.cells[featureColumn]) || undefined
    if (map.has(input)) throw new UserError(`${row.place}: ${input} is mapped twice`)
    if (feature !== undefined && !isFeatureName(feature))
      throw new UserError(
        `${row.place}: unknown feature ${JSON.stringify(feature)}; ${nearestFeatures(feature)}`,
      )
    map.set(input, { ...(feature !== undefined && { feature }), ...optionsOf(table, row) })
  }
  return map
}

/** Suggests features for an unknown name. */
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

/** Parses `true=Yes|false=No`. @throws UserError with the place of a part without `=` or of a duplicate value. */
function parseValues(text: string, place: string): Readonly<Record<string, string>> {
  const pairs = text.split('|').map((part) => {
    const at = part.indexOf('=')
    if (at < 0)
      throw new UserError(
        `${place}, column values: ${JSON.stringify(part)} is not VALUE=TEXT, for example true=Yes|false=No`,
      )
    return [part.slice(0, at).trim(), part.slice(at + 1).trim()] as const
  })
  if (new Set(pairs.map(([value]) => value)).size < pairs.length)
    throw new UserError(`${place}, column values: duplicate value`)
  return Object.fromEntries(pairs)
}
