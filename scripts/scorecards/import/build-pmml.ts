import { UserError } from '../../cli/user-error.ts'
import type { ImportedModel, ImportOptions } from './import-types.ts'
import { importPmml } from './pmml/import-pmml.ts'
import { scalingOf } from './scaling-options.ts'

/**
 * Converts a PMML file to its part of a definition.
 *
 * The score is the predicted number or a named output. For a model that predicts a category, the score is computed from the
 * log-odds of the bad category.
 *
 * @throws UserError for unsupported content with its place, for a choice that the file leaves open, and if a row of its
 *   ModelVerification does not match.
 */
export function buildPmml(xml: string, file: string, options: ImportOptions): ImportedModel {
  const { tool, model, inputs, reasonCodes, categories, numericOutputs, verification, understood } = read(
    xml,
    file,
    options,
  )
  const [mismatch] = verification?.mismatches ?? []
  if (mismatch !== undefined)
    throw new UserError(`${file} does not reproduce its ModelVerification: ${mismatch}`)
  const isCategory = categories.length > 0 && options.scoreOutput === undefined
  const badCategory = requireBad(categories, numericOutputs, file, options)
  const scaling = isCategory
    ? scalingOf('pmml', options, file, 'gives probabilities and does not define their scaling to scores')
    : scalingOf('pmml', options, file)
  const from = badCategory !== undefined ? ('model' as const) : ('scaling' as const)
  return {
    tool: tool ?? 'PMML',
    built: {
      inputs: [...inputs],
      model,
      ...(scaling && { scaling }),
      ...(isCategory && scaling && { output: { from: 'scaling' as const } }),
      ...((badCategory !== undefined || scaling) &&
        options.probability !== false && {
          probability: { from, ...(badCategory !== undefined && { badCategory }) },
        }),
      reasons: { texts: Object.fromEntries(reasonCodes.map((code) => [code, { en: code }])) },
    },
    understood,
    notes: [
      ...(reasonCodes.length > 0 ? ['Reason codes are used as texts; give texts with --texts'] : []),
      ...(isCategory && !scaling ? ['It predicts a category, so there is no score without scaling'] : []),
    ],
    verified: verification?.rows.length ?? 0,
  }
}

/** @throws UserError with the file name. */
function read(xml: string, file: string, { scoreOutput }: ImportOptions) {
  try {
    return importPmml(xml, { score: scoreOutput })
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`${file}: ${error.message}`)
    throw error
  }
}

/** Returns the bad category of a model that predicts categories. */
function requireBad(
  categories: readonly string[],
  outputs: readonly string[],
  file: string,
  { badCategory, scoreOutput, probability }: ImportOptions,
): string | undefined {
  if (badCategory !== undefined && !categories.includes(badCategory))
    throw new UserError(
      `${file} does not predict the category ${JSON.stringify(badCategory)}; ${categories.length > 0 ? `it predicts ${categories.join(', ')}` : 'it predicts a number'}`,
    )
  if (
    categories.length === 0 ||
    badCategory !== undefined ||
    scoreOutput !== undefined ||
    probability === false
  )
    return badCategory
  const orOutput = outputs.length > 0 ? `, or --score-output with one of ${outputs.join(', ')}` : ''
  throw new UserError(
    `${file} predicts one of ${categories.join(', ')}: give the bad one with --bad-category${orOutput}`,
  )
}
