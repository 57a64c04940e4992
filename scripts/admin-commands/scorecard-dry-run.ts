import { writeFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { Db } from '../../db/postgres/database.ts'
import type { DryRun } from '../../db/scorecards/definition/trial-result.ts'
import { type BacktestRequest, runBacktest } from '../../worker/trials/run-backtest.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { startProgress } from '../cli/progress.ts'
import { requireSubscription, withDatabase } from '../cli/with-database.ts'
import { drawDryRun } from '../reports/draw-dry-run.ts'
import { requireCode } from './code.ts'
import { findCandidate } from './scorecard-version.ts'

const HELP = `
Scores are computed from stored features: nothing is decoded or counted again, and nothing is changed. The champion
scores the same captures for comparison. PSI compares both distributions: below 0.10 there is no significant shift; 0.25
or more means a different population or scale.

Examples:
  scripts/admin scorecard dry-run "Acme Lending" app_score card-2027.json --last 10000 --svg shift.svg
  scripts/admin scorecard dry-run "Acme Lending" app_score 3fa94b0c`

/** Adds `scorecard dry-run`. */
export function dryRunCommand(scorecard: Command, io: CommandIo): void {
  scorecard
    .command('dry-run <subscription> <code> <version-or-file>')
    .description('Backtest a scorecard on recent captures and compare it with the champion')
    .option('--last <captures>', 'number of captures, newest first', parseCount, 10_000)
    .option('--svg <file>', 'write a chart of both distributions')
    .addHelpText('after', HELP)
    .action(
      (nameOrId: string, code: string, versionOrFile: string, options: { last: number; svg?: string }) =>
        withDatabase(io, async (db) => {
          const { id } = await requireSubscription(db, nameOrId)
          const { version, definition } = await findCandidate(db, id, requireCode(code), versionOrFile)
          const summary = await dryRun(io, db, { subscriptionId: id, code, definition, last: options.last })
          if (options.svg !== undefined) await writeFile(options.svg, drawDryRun(definition.name, summary))
          return { code, version, name: definition.name, ...summary }
        }),
    )
}

/** Runs the backtest with a progress bar. */
async function dryRun(io: CommandIo, db: Db, order: BacktestRequest): Promise<DryRun> {
  const progress = startProgress('scored', order.last, io.stderr)
  const summary = await runBacktest(db, order, { onProgress: progress.update })
  if (summary.captures === order.last) progress.finish()
  else progress.abandon() // fewer captures exist
  return summary
}

function parseCount(text: string): number {
  if (!/^[1-9]\d{0,7}$/.test(text))
    throw new InvalidArgumentError('It must be a whole number from 1 to 99999999.')
  return Number(text)
}
