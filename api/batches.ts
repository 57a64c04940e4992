import { isTransientDatabaseError } from '../db/postgres/database-errors.ts'

/** Work for many callers, done together. */
export interface Batches<Item, Result> {
  /** What the work gave for this item. @throws what the work threw for it. */
  add(item: Item): Promise<Result>
}

interface Waiting<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Opens work in groups, one at a time: what arrives while one is under way, or in one turn of the event loop, shares the
 * next one.
 *
 * No timer: at idle a group is one item and waits for nothing, under a burst groups grow by themselves up to their
 * caps. Subscriptions take turns, item by item, so that a flood of one does not keep another waiting.
 *
 * @param maxBytes of a group of more than one item, by `bytesOf`.
 * @param work its results are in the order of the items. When a group fails, each of its items is tried alone, so that
 * one cannot fail its neighbours; not so where Postgres is away, which none is to blame for.
 */
export function openBatches<Item extends { readonly subscriptionId: number }, Result>({
  maxItems,
  maxBytes = Number.POSITIVE_INFINITY,
  bytesOf = () => 0,
  work,
}: {
  maxItems: number
  maxBytes?: number
  bytesOf?: (item: Item) => number
  work: (items: readonly Item[]) => Promise<readonly Result[]>
}): Batches<Item, Result> {
  /** By subscription; whose turn it is comes first. */
  const queues = new Map<number, Waiting<Item, Result>[]>()
  let underWay = false

  function takeGroup(): Waiting<Item, Result>[] {
    const group: Waiting<Item, Result>[] = []
    let bytes = 0
    for (const [subscriptionId, queue] of queues) {
      const [next] = queue
      if (!next) break
      bytes += bytesOf(next.item)
      if (group.length > 0 && (group.length >= maxItems || bytes > maxBytes)) break
      group.push(next)
      queue.shift()
      queues.delete(subscriptionId)
      if (queue.length > 0) queues.set(subscriptionId, queue) // the loop comes to it again, after the others
    }
    return group
  }

  async function run(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await work(group.map(({ item }) => item))
      for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result)
    } catch (error) {
      if (group.length === 1 || isTransientDatabaseError(error)) for (const { reject } of group) reject(error)
      else for (const one of group) await run([one])
    }
  }

  async function runAll(): Promise<void> {
    while (queues.size > 0) await run(takeGroup())
    underWay = false
  }

  return {
    add(item) {
      const { promise, resolve, reject } = Promise.withResolvers<Result>()
      const queue = queues.get(item.subscriptionId)
      if (queue) queue.push({ item, resolve, reject })
      else queues.set(item.subscriptionId, [{ item, resolve, reject }])
      if (!underWay) setImmediate(runAll) // the others of this turn come along, instead of waiting for a group of one
      underWay = true
      return promise
    },
  }
}
