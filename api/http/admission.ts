import { Problem } from './problem.ts'

/** Bounds what calls hold of this process from when they are let in until they are answered. */
export interface Admission {
  /**
   * Lets a call in, whose body has so many bytes.
   *
   * @returns what to call once it is answered.
   * @throws Problem `overloaded`
   */
  enter(subscriptionId: number, bytes: number): () => void
}

interface Load {
  calls: number
  bytes: number
}

/** What all calls together may hold: at 2,000 uploads a second, half a second's worth. */
const BOUNDS: Load = { calls: 1_024, bytes: 128 * 1024 * 1024 }

/** One for all: a stack for each call that is turned away costs more than turning it away. */
const OVERLOADED = new Problem('overloaded')

/** A subscription may hold this many times what is free: alone two thirds of all, two of them two fifths each. */
const SHARE = 2

/**
 * Opens an admission that always keeps room for another subscription, however much the others send: the dynamic
 * thresholds of shared-memory switches.
 *
 * @see Choudhury and Hahne, Dynamic Queue Length Thresholds for Shared-Memory Packet Switches, 1998
 */
export function openAdmission(bounds: Readonly<Load> = BOUNDS): Admission {
  const total: Load = { calls: 0, bytes: 0 }
  const held = new Map<number, Load>()

  return {
    enter(subscriptionId, bytes) {
      const own = held.get(subscriptionId) ?? { calls: 0, bytes: 0 }
      const isFull =
        own.calls + 1 > SHARE * (bounds.calls - total.calls) ||
        own.bytes + bytes > SHARE * (bounds.bytes - total.bytes)
      if (isFull && own.calls > 0) throw OVERLOADED // even the largest body passes alone
      held.set(subscriptionId, own)
      for (const count of [own, total]) {
        count.calls++
        count.bytes += bytes
      }
      return () => {
        for (const count of [own, total]) {
          count.calls--
          count.bytes -= bytes
        }
        if (own.calls === 0) held.delete(subscriptionId)
      }
    },
  }
}
