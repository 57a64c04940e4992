import { writeFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { Db } from '../../db/database.ts'
import { listScoredFeatures } from '../../db/insights.ts'
import type { Scorecard } from '../../db/scorecard/definition.ts'
import { listDefinitions, listScoring } from '../../db/scorecards.ts'
import { compileScorecard } from '../../worker/scoring/compile-scorecard.ts'
import { startProgress } from '../progress.ts'
import { drawDryRun } from '../scorecards/draw-dry-run.ts'
import { openDryRun } from '../scorecards/dry-run.ts'
import { requireCode } from './code.ts'
import { findCandidate } from './scorecard-version.ts'
import { requireSubscription, withDatabase } from './with-database.ts'

/** Captures read by one statement. */
const PAGE_ROWS = 500

const HELP = `
The captures are read from what they were scored on: nothing is decoded or counted again, and nothing is changed. The
champion scores the same captures beside the candidate. PSI compares both: below 0.10 there is no shift to speak of, from
0.25 on it is another population or another scale.

Examples:
  scripts/admin scorecard dry-run "Acme Lending" app_score card-2027.json --last 10000 --svg shift.svg
  scripts/admin scorecard dry-run "Acme Lending" app_score 3fa94b0c`

/** Adds `scorecard dry-run`. */
export function dryRunCommand(scorecard: Command): void {
  scorecard
    .command('dry-run <subscription> <code> <version-or-file>')
    .description(
      'Say what a scorecard would have said of the last captures, and how it differs from the champion',
    )
    .option('--last <captures>', 'how many, the newest ones', parseCount, 10_000)
    .option('--svg <file>', 'draw both distributions too')
    .addHelpText('after', HELP)
    .action(
      (nameOrId: string, code: string, versionOrFile: string, options: { last: number; svg?: string }) =>
        withDatabase(async (db) => {
          const { id } = await requireSubscription(db, nameOrId)
          const candidate = await findCandidate(db, id, requireCode(code), versionOrFile)
          const { summary, values } = await dryRun(db, id, code, candidate.definition, options.last)
          if (options.svg !== undefined)
            await writeFile(options.svg, drawDryRun(candidate.definition.name, summary, values))
          return { code, version: candidate.version, name: candidate.definition.name, ...summary }
        }),
    )
}

async function dryRun(db: Db, subscriptionId: number, code: string, definition: Scorecard, last: number) {
  const candidate = compileScorecard(definition)
  const champion = await findChampion(db, subscriptionId, code)
  const run = openDryRun(definition)
  const progress = startProgress('scored', last)
  let scored = 0
  for (let beforeId = Number.MAX_SAFE_INTEGER; scored < last; ) {
    const limit = Math.min(PAGE_ROWS, last - scored)
    const rows = await listScoredFeatures(db, subscriptionId, { beforeId, limit })
    for (const { platform, features: json } of rows) {
      const features = JSON.parse(json)
      if (!definition.platforms.includes(platform)) run.skip()
      else run.add(candidate.score(features, platform), champion?.score(features, platform))
    }
    scored += rows.length
    progress.update(scored)
    beforeId = rows.at(-1)?.id ?? 0
    if (rows.length < limit) break
  }
  if (scored === last) progress.finish()
  else progress.abandon() // there are no more
  return { summary: run.sumUp(), values: run.values }
}

async function findChampion(db: Db, subscriptionId: number, code: string) {
  const champion = (await listScoring(db, [subscriptionId])).find(
    (scoring) => scoring.code === code && scoring.stage === 'champion',
  )
  const [found] = champion ? await listDefinitions(db, [champion]) : []
  return found && compileScorecard(found.definition)
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number from 1 to 99999999.')
  return Number(text)
}
