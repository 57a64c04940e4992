import { type Logger, pino } from 'pino'

/**
 * A log of JSON lines on stdout, in the order in which they were written, none of them lost when the process exits:
 * pino's own default leaves one to a thread while the next one may pass it.
 */
export const openLog = (level: string): Logger => pino({ level }, pino.destination({ sync: true }))

/** Between two log entries of the same error. */
const SILENCE_MS = 60_000

/**
 * A listener that logs errors. One that comes again and again, as while a store is away, is logged once a minute, with
 * how often it came in between.
 */
export function logErrors(
  log: Logger,
  message: string,
  level: 'warn' | 'error' = 'warn',
): (error: unknown) => void {
  const recent = new Map<string, { until: number; repeated: number }>()
  return (err) => {
    const name = err instanceof Error ? `${err.name} ${err.message}` : String(err)
    const now = performance.now()
    const last = recent.get(name)
    if (last && now < last.until) {
      last.repeated++
      return
    }
    for (const [other, { until }] of recent) if (until <= now) recent.delete(other)
    recent.set(name, { until: now + SILENCE_MS, repeated: 0 })
    log[level]({ err, ...(last && last.repeated > 0 && { repeated: last.repeated }) }, message)
  }
}
