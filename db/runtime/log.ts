import { format } from 'node:util'
import { type Logger, pino } from 'pino'

/**
 * A log of JSON lines on stdout, in the order in which they were written, none of them lost when the process exits:
 * pino's own default leaves one to a thread while the next one may pass it. A library's words for the console, which
 * would stand between the lines, become entries.
 */
export function openLog(level: string): Logger {
  const log = pino({ level }, openLines())
  const overhear = logErrors(log, 'console')
  const listen = (...words: unknown[]) => overhear(format(...words))
  Object.assign(console, { debug: listen, info: listen, log: listen, warn: listen, error: listen })
  return log
}

/** What a pipe takes whole, so that no line of another process that writes to it comes within one of these. */
const PIPE_BYTES = 4_096

/**
 * Lines for stdout. Those of one turn of the event loop are written at its end, by as few calls of the system as may be: a call
 * a line was a twelfth of what a read costs.
 */
function openLines(): { write(line: string): void; flushSync(): void } {
  const stdout = pino.destination({ sync: true })
  let lines = ''
  let bytes = 0
  let due = false
  const flushSync = () => {
    const written = lines
    lines = ''
    bytes = 0
    due = false
    if (written !== '') stdout.write(written)
  }
  process.on('exit', flushSync)
  return {
    write(line) {
      const more = Buffer.byteLength(line)
      if (bytes + more > PIPE_BYTES) flushSync()
      lines += line
      bytes += more
      if (!due) setImmediate(flushSync)
      due = true
    },
    flushSync, // pino calls it after an entry of level fatal
  }
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
