import type { Logger } from 'pino'
import { pruneInvitations } from '../../db/accounts/invitations.ts'
import { pruneSessions } from '../../db/accounts/sessions.ts'
import { removeExpiredTokenKeys } from '../../db/accounts/token-keys.ts'
import { pruneSightings } from '../../db/datasets/velocity.ts'
import { pruneUse } from '../../db/limits/use.ts'
import { prunePipelineCounts } from '../../db/monitoring/pipeline-counts.ts'
import { pruneScoreCounts } from '../../db/monitoring/score-counts.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Rows removed by one statement. */
const SIGHTING_ROWS = 10_000
const ACCOUNT_ROWS = 2_000 // sessions take 0.2 s

/** Removes expired rows, one step of each kind. Datasets are deleted by `enforceRetention`. */
export async function pruneExpired({ db, log }: { db: Db; log: Logger }): Promise<void> {
  await pruneScoreCounts(db)
  await prunePipelineCounts(db)
  await pruneSightings(db, SIGHTING_ROWS)
  await pruneUse(db)
  await pruneSessions(db, ACCOUNT_ROWS)
  await pruneInvitations(db, ACCOUNT_ROWS)
  const spent = await removeExpiredTokenKeys(db)
  if (spent.length > 0) log.info({ kids: spent }, 'removed signing keys whose tokens have all expired')
}
