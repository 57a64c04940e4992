const EXPIRY_KEY = 'inkling.token-until'

const REFRESH_KEY = 'inkling.exchange-begun-at'

/** By this browser's clock, in milliseconds; undefined while nobody is logged in. Every tab of the browser sees the same. */
export function readTokenExpiry(): number | undefined {
  return Number(localStorage.getItem(EXPIRY_KEY) ?? 0) || undefined
}

/** Remembers that a token came which ends in so many seconds. */
export const saveTokenExpiry = (seconds: number): void =>
  localStorage.setItem(EXPIRY_KEY, String(Date.now() + seconds * 1_000))

/** Tells all tabs that nobody is logged in any more. */
export const removeTokenExpiry = (): void => localStorage.removeItem(EXPIRY_KEY)

/** Remembers that the tokens are being exchanged, also when this page is left before the answer comes. */
export const recordRefreshStart = (): void => localStorage.setItem(REFRESH_KEY, String(Date.now()))

export const removeRefreshStart = (): void => localStorage.removeItem(REFRESH_KEY)

/** How long ago an exchange began whose end no page has seen, in milliseconds; undefined where there is none. */
export function readRefreshAgeMs(): number | undefined {
  const begunAt = Number(localStorage.getItem(REFRESH_KEY) ?? 0)
  return begunAt > 0 ? Date.now() - begunAt : undefined
}

/** Calls back when another tab went on with the session, logged in, or ended it. */
export function onTokenExpiryChange(changed: (until: number | undefined) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent) => {
    if (key === EXPIRY_KEY || key === null) changed(Number(newValue ?? 0) || undefined)
  }
  addEventListener('storage', hear)
  return () => removeEventListener('storage', hear)
}
