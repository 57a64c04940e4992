import {
  type CountedVersion,
  listScoreDays,
  listVersionsCountedSince,
} from '../../db/monitoring/score-counts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { listExpectedDistributions } from '../../db/scorecards/scorecards.ts'
import { FIRST_DAYS, type MonitoredScorecard, monitorScores } from './monitor-scores.ts'

/** How far the scores of a version under a code have shifted. */
export interface ScoreStability extends CountedVersion {
  /** PSI of yesterday, the last whole day. */
  readonly psi: number
  /** CSI of the characteristics that have shifted most, the most first. */
  readonly characteristics: readonly { readonly name: string; readonly csi: number }[]
}

/** Scorecards that are looked at, one after the other; a version has some 300 rows a day. */
const MAX_SCORECARDS = 200

/** Characteristics that are told of each: a model of thousands must not become thousands of series. */
const MAX_CHARACTERISTICS = 3

/** The stability of each scorecard that scored yesterday; those without anything to compare are left out. */
export async function measureStability(db: Db, now = new Date()): Promise<ScoreStability[]> {
  const yesterday = daysBefore(now, 1)
  const stability: ScoreStability[] = []
  for (const scorecard of await listVersionsCountedSince(db, yesterday, MAX_SCORECARDS)) {
    const { days } = await monitorScorecard(db, scorecard, yesterday)
    const day = days.find((one) => one.day === yesterday)
    if (!day || day.psi === null) continue
    const characteristics = Object.entries(day.characteristics)
      .map(([name, { csi }]) => ({ name, csi }))
      .sort((a, b) => b.csi - a.csi || (a.name < b.name ? -1 : 1))
      .slice(0, MAX_CHARACTERISTICS)
    stability.push({ ...scorecard, psi: day.psi, characteristics })
  }
  return stability
}

/** Each day of a version from `since` on, against what it expects or its first days. */
export async function monitorScorecard(
  db: Db,
  scorecard: CountedVersion,
  since: string,
): Promise<MonitoredScorecard> {
  const [counts, [found]] = await Promise.all([
    listScoreDays(db, scorecard, { since, firstDays: FIRST_DAYS }),
    listExpectedDistributions(db, [scorecard]),
  ])
  const monitored = monitorScores(scorecard, counts, found?.expected ?? undefined)
  return { ...monitored, days: monitored.days.filter(({ day }) => day >= since) }
}

/** A day in UTC, as counts have it. */
export const daysBefore = (now: Date, days: number): string =>
  new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10)
