import { format } from 'node:util'
import { type Logger, pino } from 'pino'

/**
 * A log of JSON lines on stdout, in the order in which they were written, none of them lost when the process exits:
 * pino's own default leaves one to a thread while the next one may pass it. A library's words for the console, which
 * would stand between the lines, become entries.
 */
export function openLog(level: string): Logger {
  const log = pino({ level }, pino.destination({ sync: true }))
  const overhear = logErrors(log, 'console')
  const listen = (...words: unknown[]) => overhear(format(...words))
  Object.assign(console, { debug: listen, info: listen, log: listen, warn: listen, error: listen })
  return log
}

/** Between two log entries of the same error. */
const SILENCE_MS = 60_000

/**
 * A listener that logs errors. One that comes again and again, as while a store is away, is logged once a minute, with
 * how often it came in between; so is one that comes for many jobs, whose numbers make no other error of it.
 */
export function logErrors(
  log: Logger,
  message: string,
  level: 'warn' | 'error' = 'warn',
): (error: unknown) => void {
  const recent = new Map<string, { until: number; repeated: number }>()
  return (err) => {
    const words = err instanceof Error ? `${err.name} ${err.message}` : String(err)
    const name = words.replaceAll(/\d+/g, '#')
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
