/** Shares the one thread out between groups. */
export interface ShortestFirst {
  /**
   * Resolves when it is the turn of a group with so many datasets left, once what came in meanwhile was answered:
   * locks are renewed, other jobs fetched.
   */
  next(left: number): Promise<void>
}

/**
 * Gives turns to the group with the fewest datasets left: a reader's single dataset goes before a burst, and of two
 * groups of a burst one is settled by Postgres while the other is decoded, instead of both at once.
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
