import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type DatasetKey, keyText } from '../../db/datasets/dataset-key.ts'
import { listWithOutcome } from '../../db/datasets/insights.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { logErrors } from '../../db/runtime/log.ts'

/** Polling interval while requests wait: short after a new one, longer otherwise. */
const INTERVAL_MS = { min: 2, max: 25 }

/** The interval is this share of the time that the latest request has waited. */
const INTERVAL_SHARE = 0.2

/** Polling interval while Postgres is unavailable. */
const AFTER_FAILURE_MS = 250

/** Waits until datasets are processed. */
export interface DatasetWaiter {
  /**
   * Moves a waiting dataset to the front of the queue; resolves when it is processed, or after `ms`.
   */
  wait(key: DatasetKey, ms: number): Promise<void>
}

/** Opens a waiter: all requests of this process share one polling query; there is none while nothing waits. */
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
  const onError = logErrors(log, 'could not poll awaited datasets')

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
        await delay(Math.min(INTERVAL_MS.max, Math.max(INTERVAL_MS.min, waited * INTERVAL_SHARE)))
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
