/** Calls one item after another until a call succeeds, beginning with the next one in turn. @throws the last error. */
export type Rotation<T> = <R>(call: (item: T) => Promise<R>) => Promise<R>

/**
 * Opens a rotation: calls are spread evenly over the items. With several, one whose call failed is left out for `restMs`; while all
 * are, calls fail at once.
 */
export function openRotation<T>(items: readonly T[], restMs: number): Rotation<T> {
  const restsUntil = new Map<T, number>()
  let turn = 0
  let lastError: unknown
  return async (call) => {
    const first = turn++
    for (let step = 0; step < items.length; step++) {
      const item = items[(first + step) % items.length] as T
      if (performance.now() < (restsUntil.get(item) ?? 0)) continue
      try {
        return await call(item)
      } catch (error) {
        lastError = error
        if (items.length > 1) restsUntil.set(item, performance.now() + restMs)
      }
    }
    throw lastError
  }
}
