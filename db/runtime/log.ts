import { format } from 'node:util'
import { type Logger, pino } from 'pino'
import { LOGGED_TRACE } from './tracing/logged-trace.ts'

/**
 * Opens a log of JSON lines on stdout, in the order of the calls; none is lost when the process exits. (pino's default hands lines
 * to a thread, where a later one may overtake.) Console output of libraries becomes log entries, so that every line is JSON.
 *
 * @param isTraced adds the `traceId` of the active span, where there is one.
 */
export function openLog(level: string, { isTraced = false } = {}): Logger {
  const log = pino({ level, redact: SECRETS, ...(isTraced && LOGGED_TRACE) }, openLines())
  const logConsole = logErrors(log, 'console')
  const print = (...args: unknown[]) => logConsole(format(...args))
  Object.assign(console, { debug: print, info: print, log: print, warn: print, error: print })
  return log
}

/** Arguments of a command of Redis, which its errors have: those of a rejected sign-in are the user and password. A cluster wraps the error of a node. */
const SECRETS = { paths: ['err.command.args', 'err.*.command.args'], remove: true }

/** Bytes that a pipe accepts atomically, so that lines of other processes on the same pipe do not interleave. */
const PIPE_BYTES = 4_096

/**
 * Opens a destination that writes the lines of one turn of the event loop at its end, with as few system calls as possible: one
 * call per line took a twelfth of the processor time of a read.
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
      const lineBytes = Buffer.byteLength(line)
      if (bytes + lineBytes > PIPE_BYTES) flushSync()
      lines += line
      bytes += lineBytes
      if (!due) setImmediate(flushSync)
      due = true
    },
    flushSync, // pino calls it after an entry of level fatal
  }
}

/** Time between two log entries of the same error. */
const REPEAT_MS = 60_000

/**
 * Returns a listener that logs errors. A repeated error, such as that of an unavailable store, is logged once a minute with the
 * number of repetitions. Numbers within a message, such as job ids, do not make it a different error.
 */
export function logErrors(
  log: Logger,
  message: string,
  level: 'warn' | 'error' = 'warn',
): (error: unknown) => void {
  const recent = new Map<string, { until: number; repeated: number }>()
  return (err) => {
    const text = err instanceof Error ? `${err.name} ${err.message}` : String(err)
    const name = text.replaceAll(/\d+/g, '#')
    const now = performance.now()
    const last = recent.get(name)
    if (last && now < last.until) {
      last.repeated++
      return
    }
    for (const [other, { until }] of recent) if (until <= now) recent.delete(other)
    recent.set(name, { until: now + REPEAT_MS, repeated: 0 })
    log[level]({ err, ...(last && last.repeated > 0 && { repeated: last.repeated }) }, message)
  }
}
