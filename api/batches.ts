import { setTimeout as delay } from 'node:timers/promises'
import { isTransientDatabaseError } from '../db/postgres/database-errors.ts'

/** Work on single items, done in batches. */
export interface Batches<Item, Result> {
  /** Returns the result of the item. @throws the error of its work. */
  add(item: Item): Promise<Result>
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Processes items in batches, one batch at a time: items that arrive while one is in flight, or in one turn of the event
 * loop, share the next one.
 *
 * When idle, a batch is one item and waits for nothing; under a burst, batches grow up to their caps. Subscriptions alternate
 * item by item, so that a flood of one does not delay another.
 *
 * @param spacingMs least time between the starts of two batches, for items that may wait: fewer commits leave the disk and the
 * processors to others.
 * @param maxBytes of a batch of more than one item, by `bytesOf`.
 * @param work returns the results in the order of the items. When a batch fails, its items are retried one by one, so
 * that one cannot fail its neighbours; except when Postgres is unavailable, which no item causes.
 */
export function openBatches<Item extends { readonly subscriptionId: number }, Result>({
  maxItems,
  maxBytes = Number.POSITIVE_INFINITY,
  bytesOf = () => 0,
  spacingMs = 0,
  work,
}: {
  maxItems: number
  maxBytes?: number
  bytesOf?: (item: Item) => number
  spacingMs?: number
  work: (items: readonly Item[]) => Promise<readonly Result[]>
}): Batches<Item, Result> {
  /** By subscription, the next one first. */
  const queues = new Map<number, Waiting<Item, Result>[]>()
  let inFlight = false

  function takeBatch(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = []
    let bytes = 0
    for (const [subscriptionId, queue] of queues) {
      const [next] = queue
      if (!next) break
      bytes += bytesOf(next.item)
      if (batch.length > 0 && (batch.length >= maxItems || bytes > maxBytes)) break
      batch.push(next)
      queue.shift()
      queues.delete(subscriptionId)
      if (queue.length > 0) queues.set(subscriptionId, queue) // at the end: the loop returns to it after the others
    }
    return batch
  }

  async function run(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item))
      for (const [at, { resolve }] of batch.entries()) resolve(results[at] as Result)
    } catch (error) {
      if (batch.length === 1 || isTransientDatabaseError(error)) for (const { reject } of batch) reject(error)
      else for (const one of batch) await run([one])
    }
  }

  async function runAll(): Promise<void> {
    while (queues.size > 0) {
      const startedAt = performance.now()
      await run(takeBatch())
      const restMs = startedAt + spacingMs - performance.now()
      if (restMs > 0) await delay(restMs)
    }
    inFlight = false
  }

  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const queue = queues.get(item.subscriptionId)
      if (queue) queue.push({ item, resolve, reject })
      else queues.set(item.subscriptionId, [{ item, resolve, reject }])
      if (!inFlight) setImmediate(runAll) // so that items of this turn share the first batch, instead of waiting for a batch of one
      inFlight = true
      return promise
    },
  }
}
