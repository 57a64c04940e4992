import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { type CompiledScorecard, compileScorecard } from '../../worker/scoring/compile-scorecard.ts'
import { findMismatch } from '../../worker/scoring/find-mismatch.ts'
import { PmmlFault } from '../../worker/scoring/pmml/faults.ts'
import { UserError } from '../cli/user-error.ts'

/** Faults shown at most. */
const MAX_FAULTS = 50

/**
 * A definition that can be deployed: valid, and its own verification rows have the results that they say.
 *
 * @throws UserError that says what is wrong with the definition, and where.
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
  if (!result.success) throw new UserError(`${file} is not a scorecard:\n${presentFaults(result.error)}`)
  const mismatch = findMismatch(result.data, compile(result.data, file))
  if (mismatch) throw new UserError(`${file} does not compute what it says itself: ${mismatch}`)
  return result.data
}

/** @throws UserError where a PMML model does not hold together, which only compiling it shows. */
function compile(definition: Scorecard, file: string | URL): CompiledScorecard {
  try {
    return compileScorecard(definition)
  } catch (error) {
    if (error instanceof PmmlFault) throw new UserError(`${file} is not a scorecard: ${error.message}`)
    throw error
  }
}

function presentFaults(error: z.ZodError): string {
  const { issues } = error
  const shown = z.prettifyError({ ...error, issues: issues.slice(0, MAX_FAULTS) })
  return issues.length > MAX_FAULTS ? `${shown}\n… and ${issues.length - MAX_FAULTS} more` : shown
}
