/**
 * Acquires a lock that one page of the browser has at a time, and returns the function that releases it. Without Web Locks
 * (pages without TLS) every page gets it.
 *
 * @param signal ends the wait; without, there is none
 * @returns undefined if the lock is not available, or the wait was ended.
 */
export const acquire = (name: string, signal?: AbortSignal): Promise<(() => void) | undefined> =>
  new Promise((resolve) => {
    if (navigator.locks)
      navigator.locks
        .request(
          name,
          signal ? { signal } : { ifAvailable: true },
          (lock) => lock && new Promise<void>(resolve),
        )
        .catch(() => {})
        .then(resolve as () => void)
    else resolve(() => {})
  })
