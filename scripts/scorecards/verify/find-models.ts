import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { z } from 'zod'
import { UserError } from '../../cli/user-error.ts'
import type { Format } from '../import/formats.ts'
import { FORMATS } from '../import/formats.ts'
import { BOOSTERS } from '../import/trees/imported-trees.ts'

/** A model in a folder with its related files. */
export interface ModelFiles {
  /** Path relative to the given folder. */
  readonly name: string
  readonly model: string
  readonly options: VerifyOptions
  /** Files with the coefficients and bins of a card. */
  readonly coefficients?: string
  readonly bins?: string
  readonly inputs?: string
  readonly expected?: string
}

/** Options in a `verify.json` for the models beside it: information that their files lack. */
const VerifyOptions = z
  .strictObject({
    format: z.enum(Object.keys(FORMATS) as [Format, ...Format[]]),
    pdo: z.number(),
    baseScore: z.number(),
    baseOdds: z.number(),
    odds: z.enum(['good:bad', 'bad:good']),
    direction: z.enum(['higherIsBetter', 'higherIsWorse']),
    basePoints: z.number(),
    objective: z.string(),
    xgboostBaseScore: z.number(),
    booster: z.enum(BOOSTERS),
    rounds: z.enum(['all', 'best']),
    event: z.enum(['bad', 'good']),
    scoreOutput: z.string(),
    badCategory: z.string(),
    map: z.string().meta({ description: 'Map file beside the model' }),
  })
  .partial()

type VerifyOptions = z.output<typeof VerifyOptions>

const isModel = (file: string) =>
  /\.(pmml|xml)$/i.test(file) || /(^|\.)card\.csv$/i.test(file) || (/\.json$/i.test(file) && !isOptions(file))

const isOptions = (file: string) => /(^|\.)verify\.json$/i.test(file)

/**
 * Finds the models in a folder and its subfolders, sorted by name.
 *
 * A model X is `X.pmml`, `X.xml`, `X.json` or `X.card.csv`. Its related files are `X.csv`, `X.expected.csv`,
 * `X.verify.json`, `X.model.csv`, `X.bins.csv`, or, for all models of the folder, `input.csv`, `expected.csv`,
 * `verify.json`, `model.csv`, `bins.csv`.
 *
 * @param path a folder, or one model of a folder.
 * @throws UserError if a folder cannot be read or its options are invalid.
 */
export async function findModels(path: string): Promise<ModelFiles[]> {
  const isFolder = (await stat(path).catch(rejectUnreadable(path))).isDirectory()
  const root = isFolder ? path : dirname(path)
  const entries = await readdir(root, { recursive: isFolder, withFileTypes: true }).catch(
    rejectUnreadable(root),
  )
  const files = new Set(
    entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)),
  )
  const models = isFolder ? [...files].filter((file) => isModel(basename(file))).sort() : [join(path)]
  return Promise.all(
    models.map(async (model) => {
      const stem = basename(model).replace(/(\.card)?\.[^.]+$/i, '')
      const beside = (...names: readonly string[]) =>
        names.map((name) => join(dirname(model), name)).find((file) => file !== model && files.has(file))
      const options = beside(`${stem}.verify.json`, 'verify.json')
      const isCard = /card\.csv$/i.test(model)
      const found = {
        inputs: beside(`${stem}.csv`, 'input.csv'),
        expected: beside(`${stem}.expected.csv`, 'expected.csv'),
        coefficients: isCard ? beside(`${stem}.model.csv`, 'model.csv') : undefined,
        bins: isCard ? beside(`${stem}.bins.csv`, 'bins.csv') : undefined,
      }
      return {
        name: relative(root, model),
        model,
        options: options === undefined ? {} : await readOptions(options),
        ...Object.fromEntries(Object.entries(found).filter(([, file]) => file !== undefined)),
      }
    }),
  )
}

const rejectUnreadable = (path: string) => (error: unknown) => {
  throw new UserError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`)
}

async function readOptions(file: string): Promise<VerifyOptions> {
  let json: unknown
  try {
    json = JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new UserError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  const result = VerifyOptions.safeParse(json)
  if (result.success) return result.data
  throw new UserError(`${file}:\n${z.prettifyError(result.error)}`)
}
