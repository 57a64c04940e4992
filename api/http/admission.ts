import { Problem } from './problem.ts'

/** Limits the number and total body size of requests in progress in this process. */
export interface Admission {
  /**
   * Admits a request with a body of this size.
   *
   * @returns a function to call after the response.
   * @throws Problem `overloaded`
   */
  enter(subscriptionId: number, bytes: number): () => void
}

interface Load {
  requests: number
  bytes: number
}

/** Limits for all subscriptions together: half a second of load at 2,000 uploads per second. */
const BOUNDS: Load = { requests: 1_024, bytes: 128 * 1024 * 1024 }

/** Shared instance: creating a stack trace costs more than rejecting the request. */
const OVERLOADED = new Problem('overloaded')

/** A subscription may hold this multiple of the free capacity: two thirds of the total alone, two fifths each for two subscriptions. */
const SHARE = 2

/**
 * Opens admission control that always keeps capacity for another subscription, whatever the load of the others: the
 * dynamic thresholds of shared-memory switches.
 *
 * @see Choudhury and Hahne, Dynamic Queue Length Thresholds for Shared-Memory Packet Switches, 1998
 */
export function openAdmission(bounds: Readonly<Load> = BOUNDS): Admission {
  const total: Load = { requests: 0, bytes: 0 }
  const held = new Map<number, Load>()

  return {
    enter(subscriptionId, bytes) {
      const own = held.get(subscriptionId) ?? { requests: 0, bytes: 0 }
      const isFull =
        own.requests + 1 > SHARE * (bounds.requests - total.requests) ||
        own.bytes + bytes > SHARE * (bounds.bytes - total.bytes)
      if (isFull && own.requests > 0) throw OVERLOADED // one request always passes, even with the largest body
      held.set(subscriptionId, own)
      for (const count of [own, total]) {
        count.requests++
        count.bytes += bytes
      }
      return () => {
        for (const count of [own, total]) {
          count.requests--
          count.bytes -= bytes
        }
        if (own.requests === 0) held.delete(subscriptionId)
      }
    },
  }
}
