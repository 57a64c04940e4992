import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { BuiltScorecard } from '../../../db/scorecard/definition.ts'
import { readFeatureMap } from '../import/feature-map.ts'
import { importScorecard } from '../import/import-scorecard.ts'
import { readCsv, type Table } from '../import/read-table.ts'
import { type ExpectedRow, isForManyModels, rowsForModel, rowsOfCard, rowsOfTables } from './expected-rows.ts'
import type { ModelFiles } from './find-models.ts'

/** A model, and what another engine said of it. */
export interface OpenModel {
  readonly card: BuiltScorecard
  readonly rows: readonly ExpectedRow[]
  /** Rows that the file itself brought, which came out as they should. */
  readonly verified: number
}

/** Reads a model and its rows. @throws Refusal that says what is not understood. */
export async function openModel(files: ModelFiles): Promise<OpenModel> {
  const { options, coefficients, bins } = files
  const { map, ...others } = options
  const hasLogit = coefficients !== undefined && bins !== undefined
  const { card, verified } = await importScorecard(files.model, {
    bad: 'The event of the model',
    probability: hasLogit || options.pdo !== undefined || options.badCategory !== undefined,
    ...others,
    ...(map !== undefined && { map: await readFeatureMap(join(dirname(files.model), map)) }),
    ...(hasLogit && { model: coefficients, bins }),
  })
  const [inputs, expected] = await Promise.all([files.inputs, files.expected].map(readIfThere))
  return { card, verified, rows: [...rowsOfCard(card), ...rowsOf(card, files, inputs, expected)] }
}

function rowsOf(
  card: BuiltScorecard,
  { model }: ModelFiles,
  inputs: Table | undefined,
  expected: Table | undefined,
): ExpectedRow[] {
  if (expected && isForManyModels(expected)) return rowsForModel(card, expected, model)
  if (inputs && expected) return rowsOfTables(card, inputs, expected)
  const both = expected ?? inputs
  return both ? rowsOfTables(card, both, both) : []
}

const readIfThere = async (file: string | undefined) =>
  file === undefined ? undefined : readCsv(await readFile(file, 'utf8'), basename(file))
