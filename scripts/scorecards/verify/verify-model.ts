import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import { readFeatureMap } from '../import/feature-map.ts'
import { importScorecard } from '../import/import-scorecard.ts'
import { readCsv, type Table } from '../import/read-table.ts'
import { type ExpectedRow, isForManyModels, rowsForModel, rowsOfCard, rowsOfTables } from './expected-rows.ts'
import type { ModelFiles } from './find-models.ts'

/** A model and the results of another engine. */
export interface OpenModel {
  readonly card: BuiltScorecard
  readonly rows: readonly ExpectedRow[]
  /** Number of matching verification rows in the file itself. */
  readonly verified: number
  /** A sentence per column that is not compared. */
  readonly notCompared: readonly string[]
}

/** Uses log-odds as the score of a classifier without known scaling, so that its probabilities can be compared. */
const LOG_ODDS = {
  pdo: Math.LN2,
  baseScore: 0,
  baseOdds: 1,
  odds: 'bad:good',
  direction: 'higherIsWorse',
} as const

/** Reads a model and its rows. @throws UserError for invalid content. */
export async function openModel(files: ModelFiles): Promise<OpenModel> {
  const { options, coefficients, bins } = files
  const { map, ...others } = options
  const hasLogit = coefficients !== undefined && bins !== undefined
  const { card, verified } = await importScorecard(files.model, {
    bad: 'The event of the model',
    probability: hasLogit || options.pdo !== undefined || options.badCategory !== undefined,
    ...(options.badCategory !== undefined && options.pdo === undefined && LOG_ODDS),
    ...others,
    ...(map !== undefined && { map: await readFeatureMap(join(dirname(files.model), map)) }),
    ...(hasLogit && { model: coefficients, bins }),
  })
  const [inputs, expected] = await Promise.all([files.inputs, files.expected].map(readIfThere))
  const { rows, notCompared } = rowsOf(card, files, inputs, expected)
  return { card, verified, rows: [...rowsOfCard(card), ...rows], notCompared }
}

function rowsOf(
  card: BuiltScorecard,
  { model }: ModelFiles,
  inputs: Table | undefined,
  expected: Table | undefined,
): Pick<OpenModel, 'rows' | 'notCompared'> {
  if (expected && isForManyModels(expected))
    return { rows: rowsForModel(card, expected, model), notCompared: [] }
  if (inputs && expected) return rowsOfTables(card, inputs, expected)
  const both = expected ?? inputs
  return both ? rowsOfTables(card, both, both) : { rows: [], notCompared: [] }
}

const readIfThere = async (file: string | undefined) =>
  file === undefined ? undefined : readCsv(await readFile(file, 'utf8'), basename(file))
