import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type DatasetKey, keyText } from '../../db/datasets/dataset-key.ts'
import { listWithOutcome } from '../../db/datasets/insights.ts'
import type { Db } from '../../db/postgres/database.ts'
import type { EnqueuedDataset } from '../../db/queue/job.ts'
import type { QueueProducer } from '../../db/queue/producer.ts'
import { logErrors } from '../../db/runtime/log.ts'
import { activeTrace, withTrace } from '../../db/runtime/tracing/traced.ts'

/** Polling interval while requests wait: short after a new one, longer otherwise. */
const INTERVAL_MS = { min: 2, max: 25 }

/** The interval is this share of the time that the latest request has waited. */
const INTERVAL_SHARE = 0.2

/** Polling interval while Postgres is unavailable. */
const AFTER_FAILURE_MS = 250

/** Waits until datasets are processed. */
export interface DatasetWaiter {
  /** Moves waiting datasets to the front of the queue; resolves when all are processed, or after `ms`. */
  wait(keys: readonly DatasetKey[], ms: number): Promise<void>
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
    wait(keys, ms) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const byName = new Map(keys.map((key) => [keyText(key), key]))
      const added: EnqueuedDataset[] = []
      const leave = (name: string, settle: () => void) => {
        const entry = waiting.get(name)
        entry?.resolve.delete(settle)
        if (entry?.resolve.size === 0) waiting.delete(name)
      }
      const settles = new Map<string, () => void>()
      const finish = () => {
        clearTimeout(timer)
        for (const [name, settle] of settles) leave(name, settle)
        resolve()
      }
      const timer = setTimeout(finish, ms)
      for (const [name, key] of byName) {
        const settle = () => {
          leave(name, settle)
          settles.delete(name)
          if (settles.size === 0) finish()
        }
        settles.set(name, settle)
        const entry = waiting.get(name)
        if (entry) entry.resolve.add(settle)
        else {
          waiting.set(name, { key, resolve: new Set([settle]) })
          added.push(withTrace(key, activeTrace()))
        }
      }
      if (added.length > 0) {
        lastWaitAt = performance.now()
        void producer.tryEnqueue(added, { priority: 'urgent' })
      }
      if (!polling) void poll()
      return promise
    },
  }
}
