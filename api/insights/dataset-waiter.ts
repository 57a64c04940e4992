import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type DatasetKey, keyText } from '../../db/datasets/dataset-key.ts'
import { listWithOutcome } from '../../db/datasets/insights.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { logErrors } from '../../db/runtime/log.ts'

/** Between two looks while someone waits: soon for who has just come, seldom while none of those who wait is new. */
const PAUSE_MS = { least: 2, most: 25 }

/** The pause grows with the wait of the one who came last, by so much of it. */
const PAUSE_SHARE = 0.2

/** Postgres is away: it is no faster back for being asked. */
const AFTER_FAILURE_MS = 250

/** Waits for datasets to be processed. */
export interface DatasetWaiter {
  /**
   * Moves a dataset that still waits to the front of the queue; resolves when it is processed, or after `ms` at the
   * latest.
   */
  wait(key: DatasetKey, ms: number): Promise<void>
}

/** All who wait in this process share one look at the rows at a time; nobody waiting means no query. */
export function openDatasetWaiter({
  db,
  producer,
  log,
}: {
  db: Db
  producer: QueueProducer
  log: Logger
}): DatasetWaiter {
  const waiting = new Map<string, { key: DatasetKey; resolve: Set<() => void> }>()
  let polling = false
  let lastWaitAt = 0
  const onError = logErrors(log, 'could not read settled datasets')

  async function poll(): Promise<void> {
    polling = true
    while (waiting.size > 0) {
      try {
        const settled = await listWithOutcome(
          db,
          [...waiting.values()].map(({ key }) => key),
        )
        for (const key of settled) for (const resolve of waiting.get(keyText(key))?.resolve ?? []) resolve()
        const waited = performance.now() - lastWaitAt
        await delay(Math.min(PAUSE_MS.most, Math.max(PAUSE_MS.least, waited * PAUSE_SHARE)))
      } catch (error) {
        onError(error)
        await delay(AFTER_FAILURE_MS)
      }
    }
    polling = false
  }

  return {
    wait(key, ms) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const name = keyText(key)
      const entry = waiting.get(name) ?? { key, resolve: new Set() }
      if (!waiting.has(name)) {
        waiting.set(name, entry)
        lastWaitAt = performance.now()
        void producer.tryEnqueue([key], { priority: 'urgent' })
      }
      const finish = () => {
        clearTimeout(timer)
        entry.resolve.delete(finish)
        if (entry.resolve.size === 0) waiting.delete(name)
        resolve()
      }
      const timer = setTimeout(finish, ms)
      entry.resolve.add(finish)
      if (!polling) void poll()
      return promise
    },
  }
}
