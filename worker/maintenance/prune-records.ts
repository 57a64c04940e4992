import type { Logger } from 'pino'
import { listWithOldReads, pruneEvents, pruneReads } from '../../db/datasets/prune-records.ts'
import type { Db } from '../../db/postgres/database.ts'

/** Rows of one statement, which takes about 50 ms. */
const STEP_ROWS = 5_000

/** Steps of one subscription before the next one: 20 million reads a day. */
const MAX_STEPS = 3

/** How long records are kept, in days. */
export interface RecordDays {
  /** Who read which insight. */
  readonly reads: number
  /** What happened to a dataset: its timeline. */
  readonly events: number
}

/** Removes records of reads and events of timelines that are too old, in small steps, until none is due or `signal` aborts. */
export async function pruneRecords(
  { db, log, days }: { db: Db; log: Logger; days: RecordDays },
  signal: AbortSignal,
): Promise<void> {
  let reads = 0
  for (const subscriptionId of await listWithOldReads(db, days.reads))
    for (let step = 0; step < MAX_STEPS && !signal.aborted; step++) {
      const removed = await pruneReads(db, subscriptionId, { days: days.reads, limit: STEP_ROWS })
      reads += removed
      if (removed < STEP_ROWS) break
    }
  const { removed: events } = await pruneEvents(db, { days: days.events, limit: STEP_ROWS })
  if (reads + events > 0) log.info({ reads, events }, 'removed old records')
}
