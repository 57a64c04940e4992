import { type Command, InvalidArgumentError } from 'commander'
import { listScoreCounts } from '../../db/score-counts.ts'
import { listDefinitions, listVersions } from '../../db/scorecards.ts'
import { monitorScores } from '../../worker/monitor-scores.ts'
import { requireSubscription, withDatabase } from './with-database.ts'

const HELP = `
Workers count what each version says, and write it down once a minute. PSI compares the scores of a day, CSI the bins of
each characteristic, with the distribution that the definition expects, or else with that of the version's first 30 days:
below 0.10 stable, from 0.25 on shifted. The metric inkling_score_psi of the workers tells that of yesterday.

Examples:
  scripts/admin scorecard monitor "Acme Lending"
  scripts/admin scorecard monitor "Acme Lending" app_score --days 7`

/** Adds `scorecard monitor`. */
export function monitorCommand(scorecard: Command): void {
  scorecard
    .command('monitor <subscription> [code]')
    .description('Show how far scores and characteristics have shifted, day by day')
    .option('--days <days>', 'how many days to show', parseDays, 30)
    .addHelpText('after', HELP)
    .action((nameOrId: string, code: string | undefined, { days }: { days: number }) =>
      withDatabase(async (db) => {
        const { id: subscriptionId } = await requireSubscription(db, nameOrId)
        const counts = await listScoreCounts(db, subscriptionId, { code, since: '2000-01-01' })
        const versions = await listVersions(db, subscriptionId)
        const since = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)
        const scorecards = []
        for (const ofVersion of Map.groupBy(counts, ({ code, version }) => `${version} ${code}`).values()) {
          const [first] = ofVersion
          if (!first) continue
          const [found] = await listDefinitions(db, [first])
          const { stage = 'retired', name = null } =
            versions.find(({ code, version }) => code === first.code && version === first.version) ?? {}
          const monitored = monitorScores(first, ofVersion, found?.definition.expected)
          scorecards.push({
            name,
            stage,
            ...monitored,
            days: monitored.days.filter(({ day }) => day >= since),
          })
        }
        return { scorecards }
      }),
    )
}

function parseDays(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 999.')
  return Number(text)
}
