import type { Logger } from 'pino'
import { isOverdue } from '../../db/datasets/backlog.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { type Repetition, repeat } from '../../db/runtime/repeat.ts'
import { withTimeout } from '../../db/runtime/with-timeout.ts'
import type { Progress, Stuck } from './progress.ts'

/** How long Postgres may take to say whether work waits. */
const PATIENCE_MS = 2_000

/** Between two looks: often enough for the time after which a process is stuck, and at most every 5 s. */
const pauseFor = (stuckMs: number) => Math.min(5_000, stuckMs / 5)

/** Looks again and again whether work waits, and says in the log when this process is stuck, and when it is no longer. */
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

  /** Work waits where jobs are in the queue, or datasets that the relay should have rung for. */
  const findWork = async () =>
    (await producer.countWaiting()) > 0 || (await withTimeout(PATIENCE_MS, 'Postgres', isOverdue(db)))

  return repeat(
    pauseFor(stuckMs),
    async () => {
      progress.look(await findWork().catch(() => undefined)) // readiness tells of a store that is away
      const found = progress.findStuck()
      if (found && !stuck) log.error(found, 'stuck')
      if (!found && stuck) log.warn({ seconds: stuck.seconds }, 'no longer stuck')
      stuck = found
    },
    () => undefined, // there is nothing in it that fails
  )
}
