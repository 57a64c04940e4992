import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { type CompiledScorecard, compileScorecard } from '../../worker/scoring/compile-scorecard.ts'
import { findMismatch } from '../../worker/scoring/find-mismatch.ts'
import { PmmlError } from '../../worker/scoring/pmml/errors.ts'
import { UserError } from '../cli/user-error.ts'

/** Maximum number of errors shown. */
const MAX_ERRORS = 50

/**
 * Reads a definition that can be deployed: valid, with matching verification rows.
 *
 * @throws UserError with the errors of the definition and their places.
 */
export async function readScorecard(file: string | URL): Promise<Scorecard> {
  const text = await readFile(file, 'utf8')
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new UserError(`${file} is not JSON: ${error instanceof Error ? error.message : error}`)
  }
  const result = Scorecard.safeParse(json)
  if (!result.success) throw new UserError(`${file} is not a scorecard:\n${presentErrors(result.error)}`)
  requireMatches(result.data, String(file))
  return result.data
}

/** @throws UserError for a definition that does not compile, or does not reproduce its own verification rows. */
export function requireMatches(definition: Scorecard, what: string): void {
  const mismatch = findMismatch(definition, compile(definition, what))
  if (mismatch) throw new UserError(`${what} does not reproduce its own verification rows: ${mismatch}`)
}

/** @throws UserError for an inconsistent PMML model, which only compiling detects. */
function compile(definition: Scorecard, file: string): CompiledScorecard {
  try {
    return compileScorecard(definition)
  } catch (error) {
    if (error instanceof PmmlError) throw new UserError(`${file} is not a scorecard: ${error.message}`)
    throw error
  }
}

function presentErrors(error: z.ZodError): string {
  const { issues } = error
  const shown = z.prettifyError({ ...error, issues: issues.slice(0, MAX_ERRORS) })
  return issues.length > MAX_ERRORS ? `${shown}\n… and ${issues.length - MAX_ERRORS} more` : shown
}
