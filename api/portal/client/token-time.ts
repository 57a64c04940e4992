const UNTIL = 'inkling.token-until'

const EXCHANGE = 'inkling.exchange-begun-at'

/** By this browser's clock, in milliseconds; undefined while nobody is logged in. Every tab of the browser sees the same. */
export function readTokenUntil(): number | undefined {
  return Number(localStorage.getItem(UNTIL) ?? 0) || undefined
}

/** Remembers that a token came which ends in so many seconds. */
export const keepTokenSeconds = (seconds: number): void =>
  localStorage.setItem(UNTIL, String(Date.now() + seconds * 1_000))

/** Tells all tabs that nobody is logged in any more. */
export const forgetToken = (): void => localStorage.removeItem(UNTIL)

/** Remembers that the tokens are being exchanged, also when this page is left before the answer comes. */
export const beginExchange = (): void => localStorage.setItem(EXCHANGE, String(Date.now()))

export const endExchange = (): void => localStorage.removeItem(EXCHANGE)

/** How long ago an exchange began whose end no page has seen, in milliseconds; undefined where there is none. */
export function readExchangeAge(): number | undefined {
  const begunAt = Number(localStorage.getItem(EXCHANGE) ?? 0)
  return begunAt > 0 ? Date.now() - begunAt : undefined
}

/** Calls back when another tab went on with the session, logged in, or ended it. */
export function listenToTabs(changed: (until: number | undefined) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent) => {
    if (key === UNTIL || key === null) changed(Number(newValue ?? 0) || undefined)
  }
  addEventListener('storage', hear)
  return () => removeEventListener('storage', hear)
}
