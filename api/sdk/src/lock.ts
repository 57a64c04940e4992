/**
 * Acquires a lock that one page of the browser has at a time, and returns the function that releases it. Without Web Locks
 * (pages without TLS) every page gets it.
 *
 * @returns undefined if `signal` ended the wait.
 */
export const acquire = (name: string, signal: AbortSignal): Promise<(() => void) | undefined> =>
  new Promise((resolve) => {
    if (!navigator.locks) return resolve(() => {})
    navigator.locks
      .request(name, { signal }, () => new Promise<void>((release) => resolve(release)))
      .catch(() => resolve(undefined))
  })
