import type { Logger } from 'pino'
import { listUnmeasured, measureStoredBytes } from '../../db/limits/stored-bytes.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Datasets of one transaction, which takes about 20 ms. */
const STEP_ROWS = 5_000

/** Time of one run, of which there is one a minute: 1 % of a core of Postgres at most. The next run continues. */
const RUN_MS = 600

/** Subscriptions of one run for each reason. */
const MAX_SUBSCRIPTIONS = 100

/**
 * Measures the bytes that subscriptions store, in small steps, until the time of a run is over or `signal` aborts; uploads add to them in
 * between. Subscriptions take turns, so that a large one keeps no other waiting, however often its uploads are rejected.
 */
export async function measureStored(
  { db, log }: { db: Db; log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const endsAt = performance.now() + RUN_MS
  const wanted = await listUnmeasured(db, 'wanted', MAX_SUBSCRIPTIONS)
  const due = await listUnmeasured(db, 'due', MAX_SUBSCRIPTIONS)
  let left = [...wanted, ...due]
  while (left.length > 0) {
    const incomplete: number[] = []
    for (const subscriptionId of left) {
      if (signal.aborted || performance.now() > endsAt) return
      const state = await measureStoredBytes(db, subscriptionId, STEP_ROWS)
      if (state === 'complete') log.debug({ subscriptionId }, 'measured stored bytes')
      if (state === 'incomplete') incomplete.push(subscriptionId)
    }
    left = incomplete
  }
}
