import { setTimeout as delay } from 'node:timers/promises'
import type { EventPosition } from '../../db/events/event-position.ts'
import { findHeads } from '../../db/events/read-events.ts'
import type { Db } from '../../db/postgres/database.ts'
import { Problem } from '../http/problem.ts'

/** Pause between looks for new events: one query for all subscriptions for which somebody waits. */
const POLL_MS = 100

/** Requests of a subscription, and of this process, that wait at the same time. */
const MAX_OF_SUBSCRIPTION = 20
const MAX_OF_PROCESS = 1_000

/** Waits for new events. */
export interface EventWaiter {
  /**
   * Resolves when there is an event after a place, or at a time; the caller looks which.
   *
   * @throws Problem `rate_limited` if too many requests wait.
   */
  wait(subscriptionId: number, after: EventPosition, endsAt: number): Promise<void>
}

interface Waiting {
  readonly subscriptionId: number
  readonly after: EventPosition
  readonly endsAt: number
  readonly resolve: () => void
}

const isBehind = (head: EventPosition, { position, id }: EventPosition) =>
  head.position > position || (head.position === position && head.id > id)

/** Opens a waiter: requests share one query per look, and none is made while nobody waits. */
export function openEventWaiter(db: Db): EventWaiter {
  const waiting = new Set<Waiting>()
  let polling = false

  async function poll(): Promise<void> {
    while (waiting.size > 0) {
      await delay(POLL_MS)
      const ids = [...new Set([...waiting].map(({ subscriptionId }) => subscriptionId))]
      const heads = await findHeads(db, ids).catch(() => undefined) // the caller's own query reports it
      for (const one of [...waiting]) {
        const head = heads?.get(one.subscriptionId)
        const isOver = !heads || performance.now() >= one.endsAt || (head && isBehind(head, one.after))
        if (!isOver) continue
        waiting.delete(one)
        one.resolve()
      }
    }
  }

  return {
    wait(subscriptionId, after, endsAt) {
      const own = [...waiting].filter((one) => one.subscriptionId === subscriptionId).length
      if (own >= MAX_OF_SUBSCRIPTION || waiting.size >= MAX_OF_PROCESS)
        throw new Problem('rate_limited', {
          detail: `At most ${MAX_OF_SUBSCRIPTION} requests of a subscription wait for events at the same time`,
        })
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add({ subscriptionId, after, endsAt, resolve })
      if (!polling) {
        polling = true
        void poll().finally(() => {
          polling = false
        })
      }
      return promise
    },
  }
}
