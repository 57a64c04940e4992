/** Shortest-first scheduling of batches on the only thread. */
export interface ShortestFirst {
  /**
   * Resolves when the batch may process its next dataset: no other one with fewer datasets left waits, and the event loop
   * has handled its events, so that locks are renewed and jobs fetched.
   *
   * @param left datasets of the batch that are not processed yet.
   */
  next(left: number): Promise<void>
}

/**
 * Opens a scheduler that prefers the batch with the fewest datasets left. A reader's single dataset goes before a burst;
 * and of two batches of a burst, Postgres settles one while the other is decoded, instead of both at once.
 */
export function openShortestFirst(): ShortestFirst {
  const waiting: { left: number; resolve: () => void }[] = []
  let scheduled = false

  function schedule(): void {
    if (scheduled || waiting.length === 0) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      const first = waiting.reduce((least, one) => (one.left < least.left ? one : least))
      waiting.splice(waiting.indexOf(first), 1)
      first.resolve()
      schedule()
    })
  }

  return {
    next(left) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ left, resolve })
      schedule()
      return promise
    },
  }
}
