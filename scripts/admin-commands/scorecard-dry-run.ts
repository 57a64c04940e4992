import { writeFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { Db } from '../../db/postgres/database.ts'
import type { DryRun } from '../../db/scorecards/definition/trial-result.ts'
import { type DryRunOrder, runDryRun } from '../../worker/trials/run-dry-run.ts'
import { startProgress } from '../cli/progress.ts'
import { requireSubscription, withDatabase } from '../cli/with-database.ts'
import { drawDryRun } from '../reports/draw-dry-run.ts'
import { requireCode } from './code.ts'
import { findCandidate } from './scorecard-version.ts'

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
          const { version, definition } = await findCandidate(db, id, requireCode(code), versionOrFile)
          const summary = await dryRun(db, { subscriptionId: id, code, definition, last: options.last })
          if (options.svg !== undefined) await writeFile(options.svg, drawDryRun(definition.name, summary))
          return { code, version, name: definition.name, ...summary }
        }),
    )
}

/** With a bar that counts the captures. */
async function dryRun(db: Db, order: DryRunOrder): Promise<DryRun> {
  const progress = startProgress('scored', order.last)
  const summary = await runDryRun(db, order, { onProgress: progress.update })
  if (summary.captures === order.last) progress.finish()
  else progress.abandon() // there are no more
  return summary
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number from 1 to 99999999.')
  return Number(text)
}
