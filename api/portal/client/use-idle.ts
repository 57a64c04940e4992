import { useEffect, useState } from 'react'

const ACTIVE_AT_KEY = 'inkling.active-at'

/** Other tabs are told this often at most. */
const RECORD_INTERVAL_MS = 2_000

const WARN_SECONDS = 120

const ACTIVITY_EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'scroll'] as const

const activeAt = () => Number(localStorage.getItem(ACTIVE_AT_KEY) ?? 0)

/** Tells all tabs that somebody is there. */
export const recordActivity = (): void => localStorage.setItem(ACTIVE_AT_KEY, String(Date.now()))

/**
 * Watches for signs of a user in any tab of this browser, by the clock: what a computer slept through counts.
 *
 * @returns `seconds` left, in the last two minutes or the second half of a shorter time: from then on only `stay` is a sign,
 *   since the user is asked.
 */
export function useIdle(
  idleSeconds: number,
  onIdle: () => void,
): { readonly seconds: number | undefined; stay(): void } {
  const [seconds, setSeconds] = useState<number>()

  useEffect(() => {
    const warnSeconds = Math.min(WARN_SECONDS, idleSeconds / 2)
    const leftSeconds = () => idleSeconds - (Date.now() - activeAt()) / 1_000
    recordActivity() // whoever opens a page is there
    let isReported = false
    const look = () => {
      const left = leftSeconds()
      setSeconds(left <= warnSeconds ? Math.max(0, Math.ceil(left)) : undefined)
      if (left > 0 || isReported) return
      isReported = true
      onIdle()
    }
    const sign = () => {
      const sinceMs = Date.now() - activeAt()
      if (sinceMs > RECORD_INTERVAL_MS && leftSeconds() > warnSeconds) recordActivity()
    }
    for (const name of ACTIVITY_EVENTS) addEventListener(name, sign, { passive: true, capture: true })
    const timer = setInterval(look, 1_000)
    document.addEventListener('visibilitychange', look)
    return () => {
      for (const name of ACTIVITY_EVENTS) removeEventListener(name, sign, { capture: true })
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [idleSeconds, onIdle])

  return {
    seconds,
    stay() {
      recordActivity()
      setSeconds(undefined)
    },
  }
}
