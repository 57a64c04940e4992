import type { Logger } from 'pino'
import { listUnmeasured, measureStoredBytes } from '../../db/limits/stored-bytes.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Datasets of one transaction, which takes about 20 ms. */
const STEP_ROWS = 5_000

/** Steps of one subscription before the next one; the next run continues. */
const MAX_STEPS = 500

/** Subscriptions of one run. */
const MAX_SUBSCRIPTIONS = 200

/** Measures the bytes that subscriptions store, in small steps, until `signal` aborts; uploads add to them in between. */
export async function measureStored(
  { db, log }: { db: Db; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  for (const subscriptionId of await listUnmeasured(db, MAX_SUBSCRIPTIONS))
    for (let step = 0; step < MAX_STEPS && !signal.aborted; step++) {
      const state = await measureStoredBytes(db, subscriptionId, STEP_ROWS)
      if (state === 'complete') log.debug({ subscriptionId }, 'measured stored bytes')
      if (state !== 'incomplete') break
    }
}
