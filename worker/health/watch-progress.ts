import type { Logger } from 'pino'
import { findOverdue, openOverdueScan } from '../../db/datasets/overdue-scan.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { type Repetition, repeat } from '../../db/runtime/repeat.ts'
import { withTimeout } from '../../db/runtime/with-timeout.ts'
import type { Progress, Stuck } from './progress.ts'

/** Timeout of the query to Postgres. */
const QUERY_TIMEOUT_MS = 2_000

/** Pause between two checks: a fifth of `stuckMs`, at most 5 s. */
const pauseFor = (stuckMs: number) => Math.min(5_000, stuckMs / 5)

/** Checks regularly whether work waits, and logs when this process gets stuck and when it no longer is. */
export function watchProgress({
  db,
  producer,
  progress,
  log,
  stuckMs,
}: {
  db: Db
  producer: QueueProducer
  progress: Progress
  log: Logger
  stuckMs: number
}): Repetition {
  let stuck: Stuck | undefined
  const scan = openOverdueScan()

  /** Work waits when jobs are in the queue, or datasets that the relay should have enqueued. */
  const findWork = async () =>
    (await producer.countWaiting()) > 0 ||
    (await withTimeout(QUERY_TIMEOUT_MS, 'Postgres', findOverdue(db, scan)))

  return repeat(
    pauseFor(stuckMs),
    async () => {
      progress.observe(await findWork().catch(() => undefined)) // readiness reports an unavailable store
      const found = progress.findStuck()
      if (found && !stuck) log.error(found, 'stuck')
      if (!found && stuck) log.warn({ seconds: stuck.seconds }, 'no longer stuck')
      stuck = found
    },
    () => undefined, // no step above throws
  )
}
