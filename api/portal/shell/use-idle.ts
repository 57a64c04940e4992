import { useEffect, useState } from 'react'
import { activeAt, recordActivity } from '../client/activity.ts'

/** Least time between two records of activity. */
const RECORD_INTERVAL_MS = 2_000

const WARN_SECONDS = 120

const ACTIVITY_EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'scroll'] as const

/**
 * Measures how long the user has been idle in all tabs of this browser. Time that the computer slept counts.
 *
 * @returns `seconds` left, within the last two minutes or the second half of a shorter limit: from then on only `stay` counts
 *   as activity, since the user sees a warning.
 */
export function useIdle(
  idleSeconds: number,
  onIdle: () => void,
): { readonly seconds: number | undefined; stay(): void } {
  const [seconds, setSeconds] = useState<number>()

  useEffect(() => {
    const warnSeconds = Math.min(WARN_SECONDS, idleSeconds / 2)
    const leftSeconds = () => idleSeconds - (Date.now() - activeAt()) / 1_000
    recordActivity() // opening a page is activity
    let isReported = false
    const check = () => {
      const left = leftSeconds()
      setSeconds(left <= warnSeconds ? Math.max(0, Math.ceil(left)) : undefined)
      if (left > 0 || isReported) return
      isReported = true
      onIdle()
    }
    const onActivity = () => {
      const sinceMs = Date.now() - activeAt()
      if (sinceMs > RECORD_INTERVAL_MS && leftSeconds() > warnSeconds) recordActivity()
    }
    for (const name of ACTIVITY_EVENTS) addEventListener(name, onActivity, { passive: true, capture: true })
    const timer = setInterval(check, 1_000)
    document.addEventListener('visibilitychange', check)
    return () => {
      for (const name of ACTIVITY_EVENTS) removeEventListener(name, onActivity, { capture: true })
      clearInterval(timer)
      document.removeEventListener('visibilitychange', check)
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
