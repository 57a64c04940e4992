import { pino } from 'pino'
import { migrateDatabase } from '../../../db/migrate-database.ts'
import { enforceRetention } from '../../../worker/maintenance/enforce-retention.ts'
import { pruneExpired } from '../../../worker/maintenance/prune-expired.ts'
import { pruneRecords } from '../../../worker/maintenance/prune-records.ts'
import type { GrowthPlan } from './growth-plan.ts'
import type { CallMeter } from './measure-calls.ts'

const log = pino({ level: 'silent' })

/** The defaults of the worker. */
const DAYS = { reads: 400, events: 400, feed: 30 }

/** Measures a pass of retention and one of pruning, with the plan's number of rows due, then passes with nothing due. */
export async function measureMaintenance(
  { db, measure }: CallMeter,
  { passes }: GrowthPlan,
  signal: AbortSignal,
): Promise<void> {
  const retention = () => enforceRetention({ db, log }, signal)
  const pruning = async () => {
    await pruneExpired({ db, log }, signal)
    await pruneRecords({ db, log, days: DAYS }, signal)
  }
  await measure('retention', 1, retention)
  await measure('retention: nothing due', passes, retention)
  await measure('pruning', 1, pruning)
  await measure('pruning: nothing due', passes, pruning)
}

/** Measures `release` without a pending migration, with all processes of Postgres, since it opens connections of its own. */
export async function measureRelease(
  { measure }: CallMeter,
  { url, passes }: { url: string; passes: number },
): Promise<void> {
  await measure('release', passes, () => migrateDatabase({ url, poolMax: 1 }), { all: true })
}
