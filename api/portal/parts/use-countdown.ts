import { useCallback, useEffect, useState } from 'react'

/** A countdown: 5 s, or 2 min 5 s. Here, since the sign-in page does not load formats.ts. */
export const countdownText = (seconds: number): string =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`

/** Counts whole seconds down to 0 after `start`. */
export function useCountdown(): readonly [seconds: number, start: (seconds: number) => void] {
  const [until, setUntil] = useState(0)
  const [seconds, setSeconds] = useState(0)

  useEffect(() => {
    if (until === 0) return
    const tick = () => setSeconds(Math.max(0, Math.ceil((until - Date.now()) / 1_000)))
    tick()
    const timer = setInterval(tick, 500)
    return () => clearInterval(timer)
  }, [until])

  const start = useCallback((from: number) => setUntil(Date.now() + from * 1_000), [])
  return [seconds, start]
}
