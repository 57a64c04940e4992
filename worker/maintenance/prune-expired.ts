import type { Logger } from 'pino'
import { pruneInvitations } from '../../db/accounts/invitations.ts'
import { pruneSessions } from '../../db/accounts/sessions.ts'
import { removeExpiredTokenKeys } from '../../db/accounts/token-keys.ts'
import { pruneSightings } from '../../db/datasets/prune-sightings.ts'
import { pruneUse } from '../../db/limits/use.ts'
import { prunePipelineCounts } from '../../db/monitoring/pipeline-counts.ts'
import { pruneScoreCounts } from '../../db/monitoring/score-counts.ts'
import type { Db } from '../../db/postgres/database.ts'
import { runSteps } from './run-steps.ts'

/** Rows removed by one statement, which takes about 50 ms; of sessions 0.2 s. */
const SIGHTING_ROWS = 10_000
const COUNT_ROWS = 10_000
const ACCOUNT_ROWS = 2_000

/** Removes expired rows in small steps, until none is due or `signal` aborts. Datasets are deleted by `enforceRetention`. */
export async function pruneExpired({ db, log }: { db: Db; log: Logger }, signal: AbortSignal): Promise<void> {
  await runSteps(
    [
      async () => (await pruneScoreCounts(db, COUNT_ROWS)) === COUNT_ROWS,
      async () => (await prunePipelineCounts(db, COUNT_ROWS)) === COUNT_ROWS,
      async () => (await pruneUse(db, COUNT_ROWS)) === COUNT_ROWS,
      async () => (await pruneSightings(db, SIGHTING_ROWS)) === SIGHTING_ROWS,
    ],
    signal,
  )
  await pruneSessions(db, ACCOUNT_ROWS)
  await pruneInvitations(db, ACCOUNT_ROWS)
  const spent = await removeExpiredTokenKeys(db)
  if (spent.length > 0) log.info({ kids: spent }, 'removed signing keys whose tokens have all expired')
}
