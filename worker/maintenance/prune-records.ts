import type { Logger } from 'pino'
import { listWithOldReads, pruneEvents, pruneReads } from '../../db/datasets/prune-records.ts'
import { listWithOldEvents, pruneFeed } from '../../db/events/prune-events.ts'
import type { Db } from '../../db/postgres/database.ts'
import { runSteps } from './run-steps.ts'

/** Reads removed by one statement, which takes about 50 ms. */
const READ_ROWS = 5_000

/** Events of feeds that one statement removes. */
const FEED_ROWS = 5_000

/** Events that one statement walks over. */
const EVENT_ROWS = 1_000

/** Steps of this walk that remove nothing before the pass ends. */
const MAX_IDLE_STEPS = 5

/** How long records are kept, in days. */
export interface RecordDays {
  /** Who read which insight. */
  readonly reads: number
  /** What happened to a dataset: its timeline. */
  readonly events: number
  /** Events of feeds and webhooks. */
  readonly feed: number
}

/** Removes records of reads, and events of timelines and feeds, that are too old, in small steps, until none is due or `signal` aborts. */
export async function pruneRecords(
  { db, log, days }: { db: Db; log: Logger; days: RecordDays },
  signal: AbortSignal,
): Promise<void> {
  const removed = { reads: 0, events: 0, feed: 0 }
  const subscriptions = await listWithOldReads(db, days.reads)
  await runSteps(
    subscriptions.map((subscriptionId) => async () => {
      const reads = await pruneReads(db, subscriptionId, { days: days.reads, limit: READ_ROWS })
      removed.reads += reads
      return reads === READ_ROWS
    }),
    signal,
  )
  const feeds = await listWithOldEvents(db, days.feed)
  await runSteps(
    feeds.map((subscriptionId) => async () => {
      const events = await pruneFeed(db, subscriptionId, { days: days.feed, limit: FEED_ROWS })
      removed.feed += events
      return events > 0
    }),
    signal,
  )
  let idleSteps = 0
  await runSteps(
    [
      async () => {
        const { removed: events, isOver } = await pruneEvents(db, { days: days.events, limit: EVENT_ROWS })
        removed.events += events
        idleSteps = events > 0 ? 0 : idleSteps + 1
        return !isOver && idleSteps < MAX_IDLE_STEPS
      },
    ],
    signal,
  )
  if (removed.reads + removed.events + removed.feed > 0) log.info(removed, 'removed old records')
}
