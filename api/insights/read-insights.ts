import type { Actor } from '../../db/audit/actor.ts'
import { listBeingCollected } from '../../db/collections/collections.ts'
import { type FoundInsight, type InsightRequest, requestInsights } from '../../db/datasets/insights.ts'
import type { Db } from '../../db/postgres/database.ts'
import { openBatches } from '../batches.ts'
import { Problem } from '../http/problem.ts'
import type { DatasetWaiter } from './dataset-waiter.ts'
import { beingCollected, type ReadyInsight, requireReady } from './ready-insight.ts'
import type { ReplicaReads } from './replica-reads.ts'

/** Lists per statement: two of 100 numbers have 2,000 bindings. Subscriptions alternate. */
const MAX_LISTS = 2

/** The read of several reference numbers. */
interface ReadList {
  readonly requestor: Actor
  /** May have repeats: each is read and recorded. */
  readonly referenceNumbers: readonly string[]
  /** Receives the insight of each number, or its problem, as soon as it is known; `at` is its place in the list. */
  onRead(at: number, outcome: ReadyInsight | Problem): void
}

/** Reads the insights of several datasets and records each access. */
export type ReadInsights = (subscriptionId: number, list: ReadList) => Promise<void>

/**
 * Opens reading of lists, which differ from single reads in the number of statements only: one if everything is settled, one more for
 * the datasets that were awaited, and one for unknown numbers, which a browser may be collecting.
 *
 * @see openReadInsight
 */
export function openReadInsights(
  { db, replicaReads }: { db: Db; replicaReads?: ReplicaReads | undefined },
  waiter: DatasetWaiter,
  waitMs: number,
): ReadInsights {
  const reads = openBatches({
    maxItems: MAX_LISTS,
    work: async (lists: readonly { subscriptionId: number; requests: readonly InsightRequest[] }[]) => {
      const found = await requestInsights(
        db,
        lists.flatMap(({ requests }) => requests),
      )
      let taken = 0
      return lists.map(({ requests }) => {
        const own = found.slice(taken, taken + requests.length)
        taken += requests.length
        return own
      })
    },
  })

  return async (subscriptionId, { requestor, referenceNumbers, onRead }) => {
    const startedAt = performance.now()
    const requestOf = (referenceNumber: string, last: boolean): InsightRequest => ({
      ...{ subscriptionId, referenceNumber, requestor, last, explained: false },
      waitedSeconds: (performance.now() - startedAt) / 1_000,
    })
    const nameOf = (at: number) => referenceNumbers[at] ?? ''
    /** Reads the numbers in these places from the primary. */
    const read = async (places: readonly number[], last: boolean): Promise<Found[]> => {
      if (places.length === 0) return []
      const requests = places.map((at) => requestOf(nameOf(at), last))
      const found = await reads.add({ subscriptionId, requests })
      return places.map((at, n) => [at, found[n]])
    }

    const last = waitMs === 0
    const replicated = await Promise.all(
      referenceNumbers.map((name) => replicaReads?.find(requestOf(name, last))),
    )
    for (const [at, found] of replicated.entries()) if (found) onRead(at, outcomeOf(found))
    const missing = [...referenceNumbers.keys()].filter((at) => !replicated[at])
    const first = await read(missing, last)
    const waiting = last ? [] : first.flatMap(([, found]) => (found?.status === 'received' ? [found] : []))
    const settled = first.filter(([, found]) => !found || !waiting.includes(found))
    const unknown = settled.filter(([, found]) => !found).map(([at]) => nameOf(at))
    const collected =
      unknown.length > 0 ? await listBeingCollected(db, subscriptionId, unknown) : new Set<string>()
    for (const [at, found] of settled)
      onRead(at, !found && collected.has(nameOf(at)) ? beingCollected() : outcomeOf(found))
    if (waiting.length === 0) return

    await waiter.wait(waiting, waitMs - (performance.now() - startedAt))
    const places = first.flatMap(([at, found]) => (found && waiting.includes(found) ? [at] : []))
    for (const [at, found] of await read(places, true)) onRead(at, outcomeOf(found))
  }
}

/** A place in the list and its dataset, if there is one. */
type Found = readonly [at: number, found: FoundInsight | undefined]

function outcomeOf(found: FoundInsight | undefined): ReadyInsight | Problem {
  try {
    return requireReady(found)
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}
