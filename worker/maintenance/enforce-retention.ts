import type { Logger } from 'pino'
import {
  applyDefaultRetention,
  expireBlobs,
  expireDatasets,
  listWithRetention,
} from '../../db/datasets/retention.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Datasets of one transaction, which locks their rows for about 50 ms. */
const STEP_ROWS = 500

/** Steps of one subscription before the next one. */
const MAX_STEPS = 200

/** Deletes datasets and blobs past the retention of their subscription, in small steps, until none is due or `signal` aborts. */
export async function enforceRetention(
  { db, log }: { db: Db; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  await applyDefaultRetention(db)
  for (const subscriptionId of await listWithRetention(db)) {
    for (const expire of [expireDatasets, expireBlobs]) {
      let expired = 0
      for (let step = 0; step < MAX_STEPS && !signal.aborted; step++) {
        const datasets = await expire(db, subscriptionId, STEP_ROWS)
        expired += datasets
        if (datasets === 0) break
      }
      if (expired > 0) log.info({ subscriptionId, datasets: expired, step: expire.name }, 'retention')
    }
  }
}
