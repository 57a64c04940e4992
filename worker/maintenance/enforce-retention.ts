import type { Logger } from 'pino'
import { expireBlobs, expireDatasets, listWithRetention } from '../../db/datasets/retention.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Datasets of one transaction: their rows are locked for some 50 ms. */
const STEP_ROWS = 500

/** Steps for one subscription before the next one has its turn. */
const MAX_STEPS = 200

/** Deletes what subscriptions no longer keep, in small steps, until nothing is due or `signal` ends it. */
export async function enforceRetention(
  { db, log }: { db: Db; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  for (const subscriptionId of await listWithRetention(db)) {
    for (const expire of [expireDatasets, expireBlobs]) {
      let dealtWith = 0
      for (let step = 0; step < MAX_STEPS && !signal.aborted; step++) {
        const datasets = await expire(db, subscriptionId, STEP_ROWS)
        dealtWith += datasets
        if (datasets === 0) break
      }
      if (dealtWith > 0) log.info({ subscriptionId, datasets: dealtWith, step: expire.name }, 'retention')
    }
  }
}
