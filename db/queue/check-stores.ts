import { type Db, queryRows } from '../postgres/database.ts'
import { withTimeout } from '../runtime/with-timeout.ts'
import type { QueueProducer } from './producer.ts'

/** How long Postgres may take to show that it is there. */
const PATIENCE_MS = 2_000

/** What is wrong, by the name of what it is wrong with; empty where all is well. */
export type Faults = Readonly<Record<string, readonly string[]>>

/**
 * Opens a check of the stores, which takes at most 2 s. All who ask while one is under way share it, so that a flood of
 * questions takes no connections from the work.
 */
export function openStoreCheck(db: Db, producer: QueueProducer): () => Promise<Faults> {
  async function check(): Promise<Faults> {
    const [postgres, queue] = await Promise.allSettled([
      withTimeout(PATIENCE_MS, 'Postgres', queryRows(db, 'select 1')),
      producer.check(),
    ])
    return {
      ...(postgres.status === 'rejected' && { postgres: ['does not answer'] }),
      ...(queue.status === 'rejected' && { queue: ['does not take jobs'] }),
    }
  }

  let underWay: Promise<Faults> | undefined
  return () => {
    underWay ??= check().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}
