import { UserError } from '../../cli/user-error.ts'
import type { ImportedModel, ImportOptions } from './import-types.ts'
import { importPmml } from './pmml/import-pmml.ts'
import { scalingOf } from './scaling-options.ts'

/**
 * A PMML file as the part of a definition that it gives.
 *
 * The score is the number that it predicts, or an output that is named. A model that predicts a category has none: a score
 * is made of the log-odds of its bad category.
 *
 * @throws UserError with the place of what is not supported, for a choice that the file leaves open, and where the rows of its
 *   ModelVerification come out otherwise.
 */
export function buildPmml(xml: string, file: string, options: ImportOptions): ImportedModel {
  const { tool, model, inputs, reasonCodes, categories, numericOutputs, verification, understood } = read(
    xml,
    file,
    options,
  )
  const [mismatch] = verification?.mismatches ?? []
  if (mismatch !== undefined)
    throw new UserError(`${file} does not compute what its ModelVerification says: ${mismatch}`)
  const isCategory = categories.length > 0 && options.scoreOutput === undefined
  const badCategory = requireBad(categories, numericOutputs, file, options)
  const scaling = isCategory
    ? scalingOf('pmml', options, file, 'gives probabilities and does not say which scores to make of them')
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
      ...(reasonCodes.length > 0 ? ['Reason codes are their own texts, unless --texts says more'] : []),
      ...(isCategory && !scaling ? ['It predicts a category and no number, so there is no score'] : []),
    ],
    verified: verification?.rows.length ?? 0,
  }
}

/** @throws UserError that names the file. */
function read(xml: string, file: string, { scoreOutput }: ImportOptions) {
  try {
    return importPmml(xml, { score: scoreOutput })
  } catch (error) {
    if (error instanceof UserError) throw new UserError(`${file}: ${error.message}`)
    throw error
  }
}

/** Which category is bad, where there are categories. */
function requireBad(
  categories: readonly string[],
  outputs: readonly string[],
  file: string,
  { badCategory, scoreOutput, probability }: ImportOptions,
): string | undefined {
  if (badCategory !== undefined && !categories.includes(badCategory))
    throw new UserError(
      `${file} predicts no category ${JSON.stringify(badCategory)}; ${categories.join(', ') || 'it predicts a number'}`,
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
    `${file} predicts one of ${categories.join(', ')}: say which is bad with --bad-category${orOutput}`,
  )
}
