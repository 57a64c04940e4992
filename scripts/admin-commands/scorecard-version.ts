import type { Db } from '../../db/postgres/database.ts'
import type { Scorecard } from '../../db/scorecards/definition/definition.ts'
import { versionOf } from '../../db/scorecards/definition/version.ts'
import { listDefinitions, listVersions } from '../../db/scorecards/scorecards.ts'
import { UsageError, UserError } from '../cli/user-error.ts'
import { readScorecard, requireMatches } from '../scorecards/read-scorecard.ts'

/** Finds a version by its first digits, at least 6. @throws UserError unless exactly one matches. */
export async function requireVersion(
  db: Db,
  subscriptionId: number,
  code: string,
  digits: string,
): Promise<string> {
  if (!isVersion(digits))
    throw new UsageError(`A version is 6 to 64 hexadecimal digits as shown by scorecard list, not ${digits}`)
  const found = (await listVersions(db, subscriptionId)).filter(
    (listed) => listed.code === code && listed.version.startsWith(digits),
  )
  const [first] = found
  if (first && found.length === 1) return first.version
  throw new UserError(
    first
      ? `Several versions of ${code} begin with ${digits}: give more digits`
      : `The code ${code} has no version ${digits}`,
  )
}

/**
 * As `requireVersion`, for a version that is to score: its definition compiles, and its verification rows match.
 *
 * @throws UserError also with the first row that does not match.
 */
export async function requireVerified(
  db: Db,
  subscriptionId: number,
  code: string,
  digits: string,
): Promise<string> {
  const { version, definition } = await findCandidate(db, subscriptionId, code, digits)
  requireMatches(definition, `Version ${version.slice(0, 12)}`)
  return version
}

/** Returns a stored definition by the first digits of its version, or the definition in a file without storing it. */
export async function findCandidate(
  db: Db,
  subscriptionId: number,
  code: string,
  versionOrFile: string,
): Promise<{ version: string; definition: Scorecard }> {
  if (!isVersion(versionOrFile)) {
    const definition = await readScorecard(versionOrFile)
    return { version: versionOf(definition), definition }
  }
  const version = await requireVersion(db, subscriptionId, code, versionOrFile)
  const [found] = await listDefinitions(db, [{ subscriptionId, version }])
  if (!found) throw new UserError(`The definition of version ${version} is missing`)
  return found
}

export const isVersion = (text: string): boolean => /^[\da-f]{6,64}$/.test(text)
