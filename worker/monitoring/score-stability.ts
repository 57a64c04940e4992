import {
  type CountedVersion,
  listScoreDays,
  listVersionsCountedSince,
} from '../../db/monitoring/score-counts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { listExpectedDistributions } from '../../db/scorecards/scorecards.ts'
import { FIRST_DAYS, type MonitoredScorecard, monitorScores } from './monitor-scores.ts'

/** Shift of the scores of a version under a code. */
export interface ScoreStability extends CountedVersion {
  /** PSI of yesterday, the last complete day. */
  readonly psi: number
  /** CSI of the most shifted characteristics, largest first. */
  readonly characteristics: readonly { readonly name: string; readonly csi: number }[]
}

/** Maximum scorecards, measured one after the other; a version has about 300 rows per day. */
const MAX_SCORECARDS = 200

/** Characteristics reported per scorecard: a model with thousands must not create thousands of metric series. */
const MAX_CHARACTERISTICS = 3

/** Measures the stability of each scorecard that scored yesterday; those without a baseline are omitted. */
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

/** Compares each day of a version since `since` with its expected distribution or its first days. */
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

/** Returns a UTC day in the format of the counts. */
export const daysBefore = (now: Date, days: number): string =>
  new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10)
