/** Requests in a period of fixed length; a new one begins with the first request after its end. */
export interface RequestWindow {
  used: number
  /** Milliseconds, by the clock of the caller. */
  endsAt: number
}

/** At most so many requests in each window. */
export interface Quota {
  readonly requests: number
  readonly windowMs: number
}

/** Opens a window that begins with the next request. */
export const openWindow = (): RequestWindow => ({ used: 0, endsAt: Number.NEGATIVE_INFINITY })

/**
 * Begins a new window if this one has ended. What was used beyond the quota, by requests that other processes admitted, is taken from
 * the windows after it, so that the rate over a longer time is the quota's, however many processes admit.
 */
export function beginDueWindow(window: RequestWindow, { requests, windowMs }: Quota, at: number): void {
  if (at < window.endsAt) return
  const passed = 1 + Math.floor((at - window.endsAt) / windowMs)
  window.used = Math.max(0, window.used - (window.used === 0 ? 0 : passed * requests))
  window.endsAt = at + windowMs
}
