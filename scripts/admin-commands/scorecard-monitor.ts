import { writeFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { listCountedVersions } from '../../db/monitoring/score-counts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { listVersions } from '../../db/scorecards/scorecards.ts'
import { daysBefore, monitorScorecard } from '../../worker/monitoring/score-stability.ts'
import type { CommandIo } from '../cli/command-io.ts'
import { requireSubscription, withDatabase } from '../cli/with-database.ts'
import { drawMonitoring } from '../reports/draw-monitoring.ts'
import type { ListedMonitoring } from '../reports/listed-monitoring.ts'
import { presentMonitoring } from '../reports/present-monitoring.ts'

const HELP = `
Workers count the scores of each version and store the counts once a minute. PSI compares the scores of a day, CSI the
bins of each characteristic, with the distribution that the definition expects, otherwise with that of the version's
first 30 days: below 0.10 stable, 0.25 or more shifted. The table goes to stderr, the JSON to stdout. The metrics
inkling_score_psi and inkling_score_csi of the workers show the values of yesterday.

Examples:
  scripts/admin scorecard monitor "Acme Lending"
  scripts/admin scorecard monitor "Acme Lending" app_score --days 7 --svg stability.svg`

/** Adds `scorecard monitor`. */
export function monitorCommand(scorecard: Command, io: CommandIo): void {
  scorecard
    .command('monitor <subscription> [code]')
    .description('Show the daily stability (PSI, CSI) of scores and characteristics')
    .option('--days <days>', 'number of days to show', parseDays, 30)
    .option('--svg <file>', 'write a chart')
    .addHelpText('after', HELP)
    .action((nameOrId: string, code: string | undefined, { days, svg }: { days: number; svg?: string }) =>
      withDatabase(io, async (db) => {
        const { id } = await requireSubscription(db, nameOrId)
        const scorecards = await monitor(db, id, code, daysBefore(new Date(), days - 1))
        io.stderr.write(presentMonitoring(scorecards))
        if (svg !== undefined) await writeFile(svg, drawMonitoring(scorecards))
        return { scorecards }
      }),
    )
}

async function monitor(
  db: Db,
  subscriptionId: number,
  code: string | undefined,
  since: string,
): Promise<ListedMonitoring[]> {
  const versions = await listVersions(db, subscriptionId)
  const monitored: ListedMonitoring[] = []
  for (const counted of await listCountedVersions(db, subscriptionId, code)) {
    const { stage = 'retired', name = null } =
      versions.find((one) => one.code === counted.code && one.version === counted.version) ?? {}
    monitored.push({ name, stage, ...(await monitorScorecard(db, counted, since)) })
  }
  return monitored
}

function parseDays(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999.')
  return Number(text)
}
