import type { Db } from '../db/database.ts'
import { listScoreDays } from '../db/score-counts.ts'
import { listDefinitions } from '../db/scorecards.ts'
import { FIRST_DAYS, monitorScores } from './monitor-scores.ts'

/** How far the scores of a version under a code have shifted. */
export interface ScoreStability {
  readonly subscriptionId: number
  readonly code: string
  readonly version: string
  /** PSI of yesterday, the last whole day. */
  readonly index: number
}

/** Scorecards that are looked at; a version has some 300 rows a day. */
const MAX_SCORECARDS = 200

/** The stability of each scorecard that scored yesterday; those without anything to compare are left out. */
export async function measureStability(db: Db, now = new Date()): Promise<ScoreStability[]> {
  const yesterday = new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10)
  const counts = await listScoreDays(db, { since: yesterday, firstDays: FIRST_DAYS, limit: MAX_SCORECARDS })
  const scorecards = [
    ...Map.groupBy(counts, ({ subscriptionId, code, version }) =>
      JSON.stringify([subscriptionId, code, version]),
    ).values(),
  ]
  const definitions = new Map(
    (
      await listDefinitions(
        db,
        scorecards.flatMap(([first]) => first ?? []),
      )
    ).map((found) => [found.version, found.definition]),
  )
  return scorecards.flatMap((days) => {
    const [first] = days
    if (!first) return []
    const { subscriptionId, code, version } = first
    const monitored = monitorScores({ code, version }, days, definitions.get(version)?.expected)
    const psi = monitored.days.find(({ day }) => day === yesterday)?.psi
    return psi === undefined || psi === null ? [] : [{ subscriptionId, code, version, index: psi }]
  })
}
