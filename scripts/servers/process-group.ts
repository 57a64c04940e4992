import { printMessage } from '../cli/print-message.ts'
import { closeProgress } from '../cli/progress.ts'
import { StartError } from '../cli/start-error.ts'
import { lastLines } from './last-lines.ts'
import type { ManagedProcess } from './start-supervisor.ts'

/** The life of the demo: what it has started, and what ends it. */
export interface ProcessGroup {
  /** Aborted when everything has to stop: by a signal, or since a server ended. */
  readonly signal: AbortSignal
  /** Has this server stopped at the end, before those kept earlier; if it ends by itself, all ends. */
  add<K extends ManagedProcess>(name: string, log: string, server: K): K
  /** Resolves when a signal asks to stop. */
  untilInterrupted(): Promise<void>
  /** Does the work, then stops what was kept; returns the exit code. */
  run(work: () => Promise<void>): Promise<number>
}

class Interrupted extends Error {
  override name = 'Interrupted'
}

/** Listens to the signals that end a process. The second one forces: nothing is waited for. */
export function startProcessGroup(): ProcessGroup {
  const controller = new AbortController()
  const { signal } = controller
  const kept: { name: string; server: ManagedProcess }[] = []
  let stopping = false

  const interrupt = () => {
    if (!signal.aborted && !stopping) return controller.abort(new Interrupted())
    printMessage('Stopping at once')
    void Promise.all(kept.map(({ server }) => server.kill())).finally(() => process.exit(130))
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, interrupt)
  // whoever read our output went away, as `head` does
  for (const output of [process.stdout, process.stderr])
    output.on('error', () => controller.abort(new Interrupted()))

  return {
    signal,
    add(name, log, server) {
      kept.push({ name, server })
      void server.ended.then((how) => {
        if (!stopping) controller.abort(new StartError(`${name} ${how}.\n${lastLines(log)}`))
      })
      return server
    },
    async untilInterrupted() {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      if (!(signal.reason instanceof Interrupted)) throw signal.reason
    },
    async run(work) {
      const exitCode = await work().then(
        () => 0,
        (error: unknown) => {
          closeProgress()
          // what fails once all has to stop is only a consequence
          const cause = signal.aborted ? signal.reason : error
          if (cause instanceof Interrupted) return 130
          printMessage(cause instanceof StartError ? cause.message : `The demo failed: ${describe(cause)}`)
          return 1
        },
      )
      stopping = true
      for (const { name, server } of kept.toReversed()) {
        printMessage(`Stopping ${name}`)
        await server.stop()
      }
      return exitCode
    },
  }
}

/** The messages of an error and of its causes: "fetch failed" alone helps nobody. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = error.message || error.name
  return error.cause === undefined ? own : `${own}: ${describe(error.cause)}`
}
