const EXPIRY_KEY = 'inkling.token-until'

const REFRESH_KEY = 'inkling.exchange-begun-at'

/** Expiry of the token by this browser's clock, in milliseconds; undefined while signed out. Shared by all tabs. */
export function readTokenExpiry(): number | undefined {
  return Number(localStorage.getItem(EXPIRY_KEY) ?? 0) || undefined
}

/** Stores that the token expires in `seconds`. */
export const saveTokenExpiry = (seconds: number): void =>
  localStorage.setItem(EXPIRY_KEY, String(Date.now() + seconds * 1_000))

/** Marks this browser as signed out, in all tabs. */
export const removeTokenExpiry = (): void => localStorage.removeItem(EXPIRY_KEY)

/** Stores that a refresh is in flight, also for the case that this page is closed before the response. */
export const recordRefreshStart = (): void => localStorage.setItem(REFRESH_KEY, String(Date.now()))

export const removeRefreshStart = (): void => localStorage.removeItem(REFRESH_KEY)

/** Milliseconds since the start of a refresh without a recorded end; undefined when there is none. */
export function readRefreshAgeMs(): number | undefined {
  const startedAt = Number(localStorage.getItem(REFRESH_KEY) ?? 0)
  return startedAt > 0 ? Date.now() - startedAt : undefined
}

/** Calls `changed` when another tab refreshes the session, signs in or signs out. */
export function onTokenExpiryChange(changed: (expiry: number | undefined) => void): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === EXPIRY_KEY || key === null) changed(Number(newValue ?? 0) || undefined)
  }
  addEventListener('storage', onStorage)
  return () => removeEventListener('storage', onStorage)
}
